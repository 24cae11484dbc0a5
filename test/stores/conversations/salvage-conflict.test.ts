/** A conversation in which git wrote conflict markers: the messages of both branches are recovered. */
import { expect, it } from 'vitest';
import { salvage } from '../../../src/stores/conversations/repair/salvage.js';

const LOCATION = { path: '/x/conversation.json', conversationId: '20250124-1737724800000' };
const message = (id: string, second: number) =>
  `{"id": "${id}", "role": "user",\n"content": "text ${id}",\n"createdAt": "2025-01-24T13:20:0${second}.000Z"}`;

it.each([
  '',
  '||||||| base\n{"id": "none"}\n',
])('a repair joins the messages of both sides of a merge conflict (%j)', (base) => {
  const text = [
    `{"messages": [\n${message('one', 1)},`,
    `<<<<<<< HEAD\n${message('main', 3)},\n${message('last', 5)}`,
    `${base}=======\n${message('side', 2)},\n${message('end', 4)}`,
    '>>>>>>> side\n]}',
  ].join('\n');
  const document = salvage(text, LOCATION);
  const ids = document?.snapshot().messages.map(({ id }) => id);
  expect(ids).toEqual(['one', 'side', 'main', 'end', 'last']);
});

it('a time that is no text does not prevent the repair of a merge conflict', () => {
  const odd = (id: string) =>
    `{"id": "${id}", "role": "user", "content": "text", "createdAt": {"toString": null}}`;
  const text = [
    `{"messages": [\n${message('one', 1)},`,
    `<<<<<<< HEAD\n${odd('main')}\n=======\n${odd('side')},\n${message('end', 4)}`,
    '>>>>>>> side\n]}',
  ].join('\n');
  const ids = salvage(text, LOCATION)
    ?.snapshot()
    .messages.map(({ id }) => id);
  expect(ids).toEqual(['one', 'main', 'side', 'end']);
});
