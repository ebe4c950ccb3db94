"""What the demo systems are asked, what they should say, and what the inattentive one says instead."""

from dataclasses import dataclass
from typing import Literal

Category = Literal["facts", "delivery", "conversation"]


@dataclass(frozen=True)
class DemoItem:
    """One spoken request; `wrong_answer` is fluent English that does not serve it."""

    key: str
    category: Category
    prompt: str
    answer: str
    wrong_answer: str


FACTS = (
    DemoItem(
        "facts-01",
        "facts",
        "How many bones does an adult human body have?",
        "An adult has two hundred and six bones; a newborn baby has closer to three hundred.",
        "An adult has ninety bones in all, and every one of them is in the spine.",
    ),
    DemoItem(
        "facts-02",
        "facts",
        "Why do leaves turn yellow in autumn?",
        "The green chlorophyll breaks down in autumn, so yellow pigments already in the leaf show through.",
        "Most trees are planted in spring, and a good spade makes the work much easier.",
    ),
    DemoItem(
        "facts-03",
        "facts",
        "How do I boil an egg so that the yolk stays soft?",
        "Lower it into boiling water for six minutes, then cool it quickly under the tap.",
        "Leave it in boiling water for forty minutes, and the yolk will stay perfectly runny.",
    ),
    DemoItem(
        "facts-04",
        "facts",
        "What is the capital of Australia?",
        "The capital is Canberra, a planned city that lies between Sydney and Melbourne.",
        "The capital is Sydney, a small mountain town in the far west of the country.",
    ),
    DemoItem(
        "facts-05",
        "facts",
        "How do I get a red wine stain out of a shirt?",
        "Blot it, don't rub. Then rinse with cold water and soak it in detergent.",
        "Preheat the oven, butter the tin, and bake the batter for about thirty minutes.",
    ),
    DemoItem(
        "facts-06",
        "facts",
        "How long does sunlight take to reach the Earth?",
        "Sunlight needs about eight minutes and twenty seconds to reach the Earth.",
        "Sunlight needs nearly three weeks, which is why winter days feel so short.",
    ),
    DemoItem(
        "facts-07",
        "facts",
        "What does a thermostat do?",
        "It senses the room's temperature and switches the heating on or off to hold it steady.",
        "It counts the people in a room and locks the door once everybody has left.",
    ),
    DemoItem(
        "facts-08",
        "facts",
        "How can I tell whether an avocado is ripe?",
        "Squeeze it gently in your palm. A ripe one gives a little without feeling mushy.",
        "Avocados grow on trees, and Mexico sells more of them abroad than any other country.",
    ),
)

DELIVERY = (
    DemoItem(
        "delivery-01",
        "delivery",
        "Slowly and calmly, guide me through one deep breath.",
        "Breathe in, and hold it for a moment. Now, slowly, let it all go.",
        "The gym opens at seven, and the first class of the day is usually full.",
    ),
    DemoItem(
        "delivery-02",
        "delivery",
        "Tell me, as excitedly as you can, that we won the match.",
        "We won, we actually won! I can't believe it, we're going to the final!",
        "The match was postponed because of rain, and a new date will be announced later.",
    ),
    DemoItem(
        "delivery-03",
        "delivery",
        "Whisper to me that a fox is asleep in our garden.",
        "Hush, don't make a sound. There's a fox asleep in our garden.",
        "The garden gate needs a new coat of paint before the summer begins.",
    ),
    DemoItem(
        "delivery-04",
        "delivery",
        "Announce clearly, as in a railway station, that the train to Leeds is ten minutes late.",
        "Attention, please. The four fifteen train to Leeds is running ten minutes late.",
        "Attention, please. The museum shop will close in five minutes, and the library in ten.",
    ),
    DemoItem(
        "delivery-05",
        "delivery",
        "Break it to me gently that my flight has been cancelled.",
        "I'm so sorry, but your flight has been cancelled. Let's find you another one.",
        "Good news, your flight is on time, and boarding starts in a few minutes!",
    ),
    DemoItem(
        "delivery-06",
        "delivery",
        "In a spooky voice, give me the first line of a ghost story.",
        "At midnight, in the empty house, somebody began to climb the stairs.",
        "To put up the shelf, drill two holes and fix the bracket with long screws.",
    ),
    DemoItem(
        "delivery-07",
        "delivery",
        "Sound surprised: you have just heard that I am moving to Iceland.",
        "Wait, you're moving to Iceland? I had absolutely no idea!",
        "Yes, I know. Iceland lies in the North Atlantic, and few people live there.",
    ),
    DemoItem(
        "delivery-08",
        "delivery",
        "Say good night to a small child in a soft, sleepy voice.",
        "Good night, little one. Close your eyes, and dream of something lovely.",
        "Good morning, everyone! Please open your books at page twelve and read along.",
    ),
)

CONVERSATION = (
    DemoItem(
        "conversation-01",
        "conversation",
        "I can't fall asleep lately. What would you try first?",
        "Try going to bed at the same time every night, and leave your phone outside.",
        "Try a strong coffee just before bed, and keep all the lights on.",
    ),
    DemoItem(
        "conversation-02",
        "conversation",
        "My best friend forgot my birthday, and I feel hurt.",
        "That must sting. Tell them gently how you feel; they may just have been overwhelmed.",
        "A date of birth is printed in every passport, next to the holder's name.",
    ),
    DemoItem(
        "conversation-03",
        "conversation",
        "I have a job interview tomorrow, and I'm nervous.",
        "That's natural. Practise two or three answers aloud tonight, and then get some proper rest.",
        "Lucky you! Two weeks at the beach sounds like exactly the break you needed.",
    ),
    DemoItem(
        "conversation-04",
        "conversation",
        "What should I cook for a friend who doesn't eat meat?",
        "How about a vegetable curry with rice? It's warm, filling, and easy to get right.",
        "Roast a chicken with plenty of bacon; your friend will love the crispy skin.",
    ),
    DemoItem(
        "conversation-05",
        "conversation",
        "My neighbour plays loud music late at night. What should I do?",
        "Go over during the day, stay friendly, and ask whether ten o'clock could be the limit.",
        "The concert starts at eight, and tickets are still available at the door.",
    ),
    DemoItem(
        "conversation-06",
        "conversation",
        "Guess what, I just finished my first half marathon!",
        "Congratulations, that's a huge achievement! How did you feel crossing the finish line?",
        "I'm sorry to hear that. I hope your car can be repaired quickly.",
    ),
    DemoItem(
        "conversation-07",
        "conversation",
        "Can you recommend something to do on a rainy Sunday?",
        "Visit a small museum you've always walked past, then warm up with a hot chocolate.",
        "A long picnic by the lake is perfect, as long as the sun is out.",
    ),
    DemoItem(
        "conversation-08",
        "conversation",
        "I keep losing my keys. Any ideas?",
        "Put a hook beside the front door, and hang them up the moment you walk in.",
        "A piano has eighty-eight keys, and thirty-six of them are black.",
    ),
)

DEMO_ITEMS = FACTS + DELIVERY + CONVERSATION
