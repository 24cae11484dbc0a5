/** Examples for the help of commands that are made from tools, by command. A test parses each example. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  list: ['list', 'list garden --module plan --updated-after 2025-01-01', 'list --limit 5 --json'],
  save: [
    'save user "Why is a raven like a writing-desk?"',
    'save assistant --conversation-id tea-party - < answer.txt',
  ],
  'insight save': [
    'insight save Tests need a real clock --tags testing',
    `insight save --context global --metadata '{"source": "review"}' - < finding.txt`,
  ],
  'insight search': ['insight search clock', 'insight search --match-type prefix tes --json'],
  'insight list': ['insight list', 'insight list --context global --tags testing'],
  'insight get': ['insight get 6fa459ea-ee8a-4ca4-894e-db77e160355e'],
  'insight update': [
    'insight update 6fa459ea-ee8a-4ca4-894e-db77e160355e --content "Tests inject the clock"',
    'insight update 6fa459ea-ee8a-4ca4-894e-db77e160355e --expires null',
  ],
  'insight delete': ['insight delete 6fa459ea-ee8a-4ca4-894e-db77e160355e'],
  'kg add': [
    'kg add Ada "lives in" London --replaces',
    `kg add --triples '[{"subject": "Ada", "predicate": "knows", "object": "Charles"}]'`,
  ],
  'kg query': [
    'kg query Ada',
    'kg query --predicate knows',
    'kg query --text london --as-of 2025-01-01',
  ],
  'kg delete': ['kg delete Ada knows Charles', 'kg delete Ada "lives in" London --close'],
  'kg neighbors': ['kg neighbors Ada --depth 2'],
  'kg subjects': ['kg subjects --prefix A'],
  'kg stats': ['kg stats'],
  'kg save': ['kg save'],
  'kg export': ['kg export > facts.jsonl', 'kg export --format mermaid'],
  'kg import': ['kg import memory.jsonl --long-observations notes', 'kg import - < facts.jsonl'],
  'mb list': ['mb list --folder ideas'],
  'mb read': ['mb read ideas/garden.md', 'mb read ideas/garden.md --start-line 20'],
  'mb history': ['mb history ideas/garden.md'],
  'mb search': ['mb search garden shed', 'mb search --mode exact "Clay soil"'],
  'mb add': ['mb add ideas/garden.md "# The garden"', 'mb add ideas/garden.md - < garden.md'],
  'mb edit': ['mb edit ideas/garden.md --old-text Clay --new-text Sand'],
  'mb delete': ['mb delete ideas/garden.md', 'mb delete ideas/garden.md --permanent'],
  'mb reindex': ['mb reindex'],
};
