/** The flags of a message. */
import { expect, it } from 'vitest';
import { IS_INSTRUCTION, IS_PREFERENCE } from '../../src/recall/message-flags.js';
import { RecallIndex } from '../../src/recall/recall-index.js';

const said = (content: string) => ({ role: 'user', content, time: 0, speaker: undefined });

it.each([
  ['Always reply in French.', IS_INSTRUCTION],
  ['Fine so far.\nPlease never use tables', IS_INSTRUCTION],
  ['From now on there is one test for each file', IS_INSTRUCTION],
  ['Going forward there is one test for each file', IS_INSTRUCTION],
  ['Name the carrier whenever I ask about a parcel', IS_INSTRUCTION],
  ["I'd rather have the blue one", IS_PREFERENCE],
  ['My preference is the blue one', IS_PREFERENCE],
  ['The blue one is here and the red one is there', 0],
])('%s has the flag %d', (content, flag) => {
  const index = new RecallIndex();
  index.put('a', [said(`${content}, and this is all that there is of it.`)]);
  expect(index.get('a')?.flags[0]).toBe(flag);
});
