/** Shows the matches in a snippet. The marks around them are private-use characters, which texts rarely have. */

export const MARK_START = '\ue000';
export const MARK_END = '\ue001';

/** Marks the matches, which are between MARK_START and MARK_END. */
export function Marked({ text }: { readonly text: string }) {
  const [first = '', ...rest] = text.split(MARK_START);
  return (
    <span dir="auto">
      {first}
      {rest.map((part, index) => {
        const [match = '', after = ''] = part.split(MARK_END, 2);
        return (
          <span key={index}>
            <mark>{match}</mark>
            {after}
          </span>
        );
      })}
    </span>
  );
}
