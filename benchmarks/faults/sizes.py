"""How much there is to do in every installation of the bench."""

#: Units that are labelled, how often each, and by how many people; voters in the arena; people who hear every clip.
UNITS, PER_UNIT, LABELLERS, VOTERS, LISTENERS = 50, 2, 5, 2, 3
#: Units judged while workers die. A server that is ill has fewer to judge, and a campaign for each way to be ill.
JUDGED, FEW, WAYS_TO_BE_ILL = 60, 2, 6
#: What a model's server may take for a reply (s), and how many questions it is asked at a time.
TIMEOUT_S, AT_ONCE = 2, 8
