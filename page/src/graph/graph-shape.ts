/** Nodes and links of the graph of facts, and which of them are drawn. */

export interface Node {
  readonly name: string;
  degree: number;
  /** Facts that are shown at the moment; a node without any is not drawn. */
  shown: number;
  x?: number;
  y?: number;
}
export interface Link {
  source: Node;
  target: Node;
  readonly edge: Edge;
}
export interface Edge {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

/** Where nodes were in the picture before. */
export type Places = ReadonlyMap<string, Pick<Node, 'x' | 'y'>>;

export interface Graph {
  /** The nodes with the most facts first. */
  readonly nodes: Node[];
  readonly links: Link[];
  /** Whether most nodes were in the picture before. */
  readonly isKnown: boolean;
}

export function toGraph(facts: readonly Edge[], places: Places): Graph {
  const nodes = new Map<string, Node>();
  const nodeOf = (name: string) => {
    const node = nodes.get(name) ?? { name, degree: 0, shown: 0, ...placeOf(places.get(name)) };
    node.degree += 1;
    nodes.set(name, node);
    return node;
  };
  const links = facts.map((edge) => {
    return { source: nodeOf(edge.subject), target: nodeOf(edge.object), edge };
  });
  const known = [...nodes.keys()].filter((name) => places.has(name)).length;
  return {
    nodes: [...nodes.values()].sort((a, b) => b.degree - a.degree),
    links,
    isKnown: known > nodes.size / 2,
  };
}

const placeOf = ({ x, y }: Pick<Node, 'x' | 'y'> = {}) =>
  x === undefined || y === undefined ? {} : { x, y };

/** What of the graph is drawn: the nodes with the most facts of those first. */
export interface Seen {
  nodes: Node[];
  links: Link[];
}

export function seenOf({ nodes, links }: Seen, facts: readonly Edge[]): Seen {
  const edges = new Set(facts);
  for (const node of nodes) node.shown = 0;
  const seenLinks = links.filter(({ edge }) => edges.has(edge));
  for (const { source, target } of seenLinks) {
    source.shown += 1;
    target.shown += 1;
  }
  const seenNodes = nodes.filter(({ shown }) => shown > 0).sort((a, b) => b.shown - a.shown);
  return { links: seenLinks, nodes: seenNodes };
}
