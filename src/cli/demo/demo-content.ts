/** The texts from which `daybook demo` makes its invented conversations, notes, insights and facts. */

export const DEMO_SUBJECTS = [
  {
    module: 'garden',
    things: ['tomatoes', 'the south wall', 'clay soil', 'the pear tree', 'compost', 'lavender'],
    tags: ['spring', 'vegetables', 'soil'],
    questions: [
      'When should I take care of {thing} this year?',
      'What is wrong with {thing}? The leaves look yellow.',
      'How much water does it take to keep {thing} alive in July?',
    ],
    answers: [
      'For {thing}, wait until the nights stay above ten degrees. Then:\n\n1. loosen the ground\n2. add two shovels of sand\n3. water once, slowly',
      'Yellow leaves at {thing} mostly mean too much water. Let the upper five centimetres dry before you water again.',
      '| month | litres a week |\n|---|---|\n| June | 12 |\n| July | 18 |\n\nThat is for {thing} in full sun.',
    ],
  },
  {
    module: 'workshop',
    things: ['the lathe', 'a walnut table', 'the bench vice', 'a dovetail joint', 'the bookshelf'],
    tags: ['wood', 'tools'],
    questions: [
      'Which finish would you use on {thing}?',
      'Can you check my cut list for {thing}?',
      'Why does {thing} wobble after I glued it?',
    ],
    answers: [
      'Hard wax oil suits {thing}: two thin coats, a day between them, and a soft cloth.',
      'The cut list for {thing} adds up. Leave **3 mm** for the saw, or the last board comes out short.',
      'Glue pulls {thing} out of square while it dries. Clamp both diagonals and compare their lengths.',
    ],
  },
  {
    module: 'code',
    things: [
      'the parser',
      'the retry loop',
      'the date picker',
      'the build script',
      'the cache key',
    ],
    tags: ['typescript', 'review'],
    questions: [
      'Please review {thing}.',
      'How do I test {thing} without a clock?',
      'What breaks if I remove {thing}?',
    ],
    answers: [
      'The smallest change to {thing} is this:\n\n```ts\nexport function once<T>(work: () => T): () => T {\n  let result: { value: T } | undefined;\n  return () => (result ??= { value: work() }).value;\n}\n```',
      'Hand the clock to {thing} as an argument. A test then moves it by hand, and nothing sleeps.',
      'Two callers use {thing}; one of them relies on the order of its results. Add a test for that first.',
    ],
  },
  {
    module: 'travel',
    things: [
      'the night train to Vienna',
      'Lisbon in March',
      'the coast path',
      'a ferry to Gotland',
    ],
    tags: ['plans', 'trains'],
    questions: [
      'Is {thing} worth it?',
      'What should we book first for {thing}?',
      'How long does {thing} take with a child?',
    ],
    answers: [
      '{thing}: yes, if you can sleep in trains. Take the small compartment, it is quieter.',
      'Book the beds first, then {thing}; seats are cheap until a week before.',
      'Plan a day more than the guides say for {thing}, and a playground at noon.',
    ],
  },
  {
    module: 'reading',
    things: [
      'Middlemarch',
      'the Analects',
      'a history of salt',
      'The Mad Tea-Party',
      'old letters',
    ],
    tags: ['books', 'notes'],
    questions: [
      'What did we say about {thing} last month?',
      'Summarise the argument of {thing} in three sentences.',
      'Which book should I read after {thing}?',
    ],
    answers: [
      'You liked the slow beginning of {thing}, and doubted the ending.',
      'First, {thing} asks what a person owes to others. Then it shows what that costs. It leaves the sum to the reader.',
      'After {thing}, something short: letters, or a play.',
    ],
  },
];

export const DEMO_FOLLOW_UPS: readonly string[] = [
  'And if it rains?',
  'Can you make that shorter?',
  'What would it cost?',
  'Thank you, that helps. One more thing: who else should know?',
  'Why?',
];

export const DEMO_MODELS: readonly string[] = ['sonar', 'sonar-pro', 'claude-opus', 'gpt-large'];

/** Each has subject, predicate and object. */
export const DEMO_FACTS: readonly (readonly [string, string, string])[] = [
  ['Ada', 'lives in', 'Ockham'],
  ['Ada', 'knows', 'Charles'],
  ['Ada', 'tends', 'the pear tree'],
  ['Charles', 'lives in', 'London'],
  ['Charles', 'builds', 'the lathe'],
  ['the pear tree', 'stands at', 'the south wall'],
  ['the south wall', 'faces', 'south'],
  ['tomatoes', 'grow at', 'the south wall'],
  ['tomatoes', 'need', 'sand'],
  ['clay soil', 'needs', 'sand'],
  ['clay soil', 'lies in', 'the garden'],
  ['the garden', 'is in', 'Ockham'],
  ['Ockham', 'is in', 'Surrey'],
  ['Mary', 'knows', 'Ada'],
  ['Mary', 'reads', 'Middlemarch'],
  ['Mary', 'lives in', 'Lisbon'],
  ['Middlemarch', 'was written by', 'George Eliot'],
  ['the bookshelf', 'is made of', 'walnut'],
  ['a walnut table', 'is made of', 'walnut'],
  ['Charles', 'made', 'the bookshelf'],
];

export const DEMO_NOTES: readonly (readonly [path: string, content: string])[] = [
  [
    'ideas/garden.md',
    '# The garden\n\n- [x] south wall: tomatoes\n- [ ] sand for the clay\n\nSee *compost*.\n',
  ],
  ['ideas/workshop.md', '# Workshop\n\nThe lathe needs a new belt. `17 × 650 mm`.\n'],
  ['people.md', '# People\n\n| name | where |\n|---|---|\n| Ada | Ockham |\n| Mary | Lisbon |\n'],
];

export const DEMO_INSIGHTS: readonly (readonly [content: string, tag: string])[] = [
  ['Clay soil needs sand before anything else.', 'soil'],
  ['Hand the clock in: a test that sleeps fails on a busy machine.', 'testing'],
  ['Book beds before seats.', 'travel'],
];
