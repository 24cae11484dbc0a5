/** The nodes and links of the graph, and the selection of those that are drawn. */

export interface Node {
  readonly name: string;
  degree: number;
  /** Number of drawn facts of the node; a node without drawn facts is not drawn. */
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

/** The places of nodes in the previous picture. */
export type Places = ReadonlyMap<string, Pick<Node, 'x' | 'y'>>;

export interface Graph {
  /** Sorted by number of facts, most facts first. */
  readonly nodes: Node[];
  readonly links: Link[];
  /** True if most nodes were in the previous picture. */
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

/** The drawn part of the graph; nodes are sorted by number of drawn facts, most facts first. */
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
