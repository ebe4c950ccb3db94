// How many questions are left: at least those that are put, at most those that answers may still open. No DOM.
// A question is { name, value, optional, needs }: its answer or "", and the answers on which it is put, as
// [name, value] pairs.

export function questionsLeft(questions) {
  const named = new Map(questions.map((question) => [question.name, question]));
  const isPut = ({ needs }) => needs.every(([name, value]) => named.get(name)?.value === value);
  const mayBePut = ({ needs }) =>
    needs.every(([name, value]) => {
      const other = named.get(name);
      return other !== undefined && (other.value ? other.value === value : mayBePut(other));
    });
  const open = questions.filter(({ value, optional }) => !value && !optional);
  return { least: open.filter(isPut).length, most: open.filter(mayBePut).length };
}
