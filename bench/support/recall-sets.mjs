/**
 * Reads the public sets of bench/recall.mjs from a folder of the user's: LoCoMo (`locomo10.json`,
 * snap-research/locomo, CC BY-NC 4.0) and BEAM (`chats/100K/<n>/chat.json`, no licence). They are
 * measured and never shipped. Every conversation comes as messages with times, every question with the
 * places of its evidence.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MINUTE_MS = 60_000;
const SHORTENED = 'chat_trunecated.json';
const CATEGORIES = { 1: 'multi-hop', 2: 'temporal', 3: 'open', 4: 'single-hop', 5: 'adversarial' };

/** `1:56 pm on 8 May, 2023` as epoch milliseconds. */
function locomoTime(text) {
  const [, hour, minute, half, day, month, year] =
    /(\d+):(\d+) (am|pm) on (\d+) (\w+),? (\d+)/i.exec(text) ?? [];
  const hours = (Number(hour) % 12) + (half?.toLowerCase() === 'pm' ? 12 : 0);
  return Date.parse(`${day} ${month} ${year} UTC`) + (hours * 60 + Number(minute)) * MINUTE_MS;
}

function locomoConversation({ sample_id: name, conversation, qa }) {
  const messages = [];
  const places = new Map();
  for (let session = 1; conversation[`session_${session}`] !== undefined; session += 1) {
    const start = locomoTime(conversation[`session_${session}_date_time`]);
    conversation[`session_${session}`].forEach((turn, at) => {
      places.set(turn.dia_id, messages.length);
      const picture = turn.blip_caption === undefined ? '' : ` [shares ${turn.blip_caption}]`;
      messages.push({
        role: turn.speaker === conversation.speaker_a ? 'user' : 'assistant',
        content: `${turn.text}${picture}`,
        time: start + at * MINUTE_MS,
        speaker: turn.speaker,
      });
    });
  }
  const questions = qa.map(({ question, category, evidence = [] }) => {
    const ids = evidence.flatMap((part) => part.match(/D\d+:\d+/g) ?? []);
    const found = ids
      .map((id) => places.get(id.replace(/:0+/, ':')))
      .filter((at) => at !== undefined);
    return { question, kind: CATEGORIES[category], evidence: [...new Set(found)] };
  });
  return { name, messages, questions: questions.filter((one) => one.evidence.length > 0) };
}

/** Ten conversations of two people; undefined where the folder has none. */
export function readLocomo(folder) {
  const path = [join(folder, 'locomo10.json'), join(folder, 'data', 'locomo10.json')].find(
    existsSync,
  );
  if (path === undefined) return undefined;
  return JSON.parse(readFileSync(path, 'utf8')).map(locomoConversation);
}

const numbersIn = (value) =>
  Array.isArray(value)
    ? value.flatMap(numbersIn)
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(numbersIn)
      : typeof value === 'number'
        ? [value]
        : [];

function beamConversation(folder, name) {
  const read = (...parts) => JSON.parse(readFileSync(join(folder, name, ...parts), 'utf8'));
  const messages = [];
  const places = new Map();
  let time = Date.UTC(2024, 0, 1, 9);
  // The published size is that of the shortened file, where there is one.
  const isShortened = existsSync(join(folder, name, SHORTENED));
  for (const { turns } of read(isShortened ? SHORTENED : 'chat.json')) {
    const anchor = turns.flat().find((message) => message.time_anchor)?.time_anchor;
    const day =
      anchor === undefined ? Number.NaN : Date.parse(`${anchor.replaceAll('-', ' ')} UTC`);
    time = Number.isNaN(day) ? time + 7 * 24 * 60 * MINUTE_MS : day + 9 * 60 * MINUTE_MS;
    for (const { id, role, content } of turns.flat()) {
      places.set(id, messages.length);
      const plain = content.replace(/\s*->->\s*[\d,\s]*$/, '');
      messages.push({ role, content: plain, time });
      time += MINUTE_MS;
    }
  }
  const questions = Object.entries(read('probing_questions', 'probing_questions.json')).flatMap(
    ([kind, list]) =>
      list.map(({ question, source_chat_ids: ids }) => {
        const found = numbersIn(ids).map((id) => places.get(id));
        return { question, kind, evidence: [...new Set(found.filter((at) => at !== undefined))] };
      }),
  );
  return { name, messages, questions: questions.filter((one) => one.evidence.length > 0) };
}

/** Chats of one size (`100K`, `500K`) with an assistant; undefined where the folder has none. */
export function readBeam(folder, size) {
  const chats = [join(folder, 'chats', size), join(folder, size)].find(existsSync);
  if (chats === undefined) return undefined;
  const names = readdirSync(chats).filter((name) => existsSync(join(chats, name, 'chat.json')));
  return names.sort((a, b) => Number(a) - Number(b)).map((name) => beamConversation(chats, name));
}
