/** Facts as a flowchart in Mermaid, for readers. It cannot be imported. */
import type { Triple } from '../../stores/knowledge-graph/model/triple.js';

/** Each line has the names of both nodes, so that every part of the diagram is valid by itself. */
export class MermaidLines {
  readonly #numbers = new Map<string, number>();

  line({ subject, predicate, object }: Triple): string {
    return `  ${this.#node(subject)} -->|${label(predicate)}| ${this.#node(object)}`;
  }

  #node(name: string): string {
    const number = this.#numbers.get(name) ?? this.#numbers.size + 1;
    this.#numbers.set(name, number);
    return `n${number}[${label(name)}]`;
  }
}

/** Quoted, with character codes for what would end the quotes or has a meaning in Mermaid. */
function label(text: string): string {
  const safe = text
    .replace(/\s+/gu, ' ')
    .replace(/["#&;<>`\\[\]{}|]/g, (sign) => `#${sign.charCodeAt(0)};`);
  return `"${safe}"`;
}
