/**
 * What the soak expects of one stored thing: a conversation, a note, an insight or a fact. After a call with
 * an unknown outcome there are several possible states; the next check reads which one it is.
 */
export type Kind = 'conversation' | 'note' | 'insight' | 'fact';

export interface State {
  /** False: deleted, or never stored. */
  readonly isLive: boolean;
  /** What it must contain: the messages of a conversation, else one text. Kept for a deleted one too. */
  readonly texts: readonly string[];
  /** Messages whose saving was interrupted. */
  readonly maybe: readonly string[];
}

export const live = (texts: readonly string[], maybe: readonly string[] = []): State => ({
  isLive: true,
  texts,
  maybe,
});
export const deleted = (texts: readonly string[]): State => ({ isLive: false, texts, maybe: [] });

export class Item {
  readonly kind: Kind;
  /** A word of its title or tag that nothing else has. */
  readonly name: string;
  /** Conversation id or key, path, insight id, or subject. Empty while nobody knows it. */
  id: string;
  states: readonly State[];
  /** An operation on it runs. */
  isBusy = false;
  /** Whether it is in the trash, so that it can be restored. */
  isInTrash = false;
  /** Moved into an archive by a command, from which only a command restores it. */
  isArchived = false;
  /** The texts of its export that was imported last. */
  imported: readonly string[] = [];

  constructor(kind: Kind, name: string, id: string) {
    this.kind = kind;
    this.name = name;
    this.id = id;
    this.states = [deleted([])];
  }

  /** The state, if there is only one possible. */
  get state(): State | undefined {
    const [only, ...others] = this.states;
    return others.length === 0 && only?.maybe.length === 0 ? only : undefined;
  }

  /** The state that what was read agrees with. `found` is `undefined` if nothing was found. */
  agreeing(found: readonly string[] | undefined): State | undefined {
    return this.states.find(({ isLive, texts, maybe }) => {
      if (found === undefined) return !isLive;
      const rest = [...found];
      for (const text of texts) {
        const at = rest.indexOf(text);
        if (at < 0) return false;
        rest.splice(at, 1);
      }
      return isLive && new Set(rest).size === rest.length && rest.every((t) => maybe.includes(t));
    });
  }
}
