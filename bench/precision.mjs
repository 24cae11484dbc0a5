/**
 * precisionMemBench (github.com/tenurehq/precisionMemBench, MIT): a question must find those of 35 beliefs
 * that it is about, and no other belief. Clone it, then:
 *
 *   npm run build && node bench/precision.mjs <folder of the clone>
 *
 * It uses no model, only the tools `save_insight`, `update_insight` and `search_memory` (with `named` and
 * without). A belief is an insight: its context is the user and the scope, its tags are the name and the
 * aliases. Superseded and resolved beliefs and open questions are not saved, because a user would have
 * deleted or never saved them. Other expectations of a case (pinned beliefs, open questions, participants
 * of relations, budgets) are read from the beliefs, as `BaseAdapter` of the benchmark does.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRecallApp } from './support/recall-app.mjs';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('node bench/precision.mjs <folder>');
const read = (name) => JSON.parse(readFileSync(join(folder, 'fixtures', name), 'utf8'));
const USER = 'test-user';
/** Of `test-user`, as the benchmark's tests have it. */
const PRELUDE = 'You prefer direct answers without preamble. You push back';
const BUDGET = { maxBeliefs: 20, maxQuestions: 15 };

const isActive = ({ superseded_by, resolved_at }) => !superseded_by && !resolved_at;
const isInside = ({ scope }, asked) => scope.some((one) => asked.includes(one));
const contextOf = (user, scope) => `/${user}/${scope}`;
const tagsOf = ({ canonical_name, aliases = [] }) => [canonical_name, ...aliases];

/** A store of its own with the beliefs of the benchmark. */
async function openBeliefs(named) {
  const root = mkdtempSync(join(tmpdir(), 'daybook-precision-'));
  const app = await openRecallApp({ root, cacheHome: join(root, 'cache'), withVectors: false });
  const beliefs = new Map();
  const ids = new Map();
  const save = async (belief) => {
    beliefs.set(belief._id, belief);
    if (!isActive(belief) || belief.type === 'open_question') return;
    const content = [belief.content, belief.why_it_matters].filter(Boolean).join(' ');
    for (const scope of belief.scope) {
      const context = contextOf(belief.user_id, scope);
      const saved = await app.call('save_insight', { content, context, tags: tagsOf(belief) });
      ids.set(saved.id, belief._id);
    }
  };
  const addAliases = async (beliefId, more) => {
    const belief = beliefs.get(beliefId);
    const changed = { ...belief, aliases: [...(belief.aliases ?? []), ...more] };
    beliefs.set(beliefId, changed);
    for (const [id, owner] of ids)
      if (owner === beliefId) await app.call('update_insight', { id, tags: tagsOf(changed) });
  };
  const search = async (user, scope, query, limit) => {
    const context = contextOf(user, scope);
    const asked = { query, context, sources: ['insights'], limit, named };
    const { results } = await app.call('search_memory', asked);
    return results.map(({ id }) => ids.get(id));
  };
  const close = async () => {
    await app.close();
    rmSync(root, { recursive: true, force: true });
  };
  for (const belief of read('beliefs.seed.json')) await save(belief);
  return { beliefs, save, addAliases, search, close };
}

/** What the benchmark's `BaseAdapter.buildContext` gives. */
async function contextFor({ beliefs, search }, user, scope, query, given) {
  const { maxBeliefs, maxQuestions } = { ...BUDGET, ...given };
  const own = [...beliefs.values()].filter(
    (belief) => belief.user_id === user && belief.pinned && isInside(belief, scope),
  );
  const idsOf = (some) => some.map(({ _id }) => _id);
  const pinned = idsOf(own.filter((one) => one.type !== 'open_question' && isActive(one)));
  const questions = idsOf(own.filter((one) => one.type === 'open_question' && !one.resolved_at));
  const isAsked = query.trim() !== '' && maxBeliefs > 0;
  const all = isAsked ? await search(user, scope[0], query, maxBeliefs) : [];
  const found = [...new Set(all)].filter((id) => !pinned.includes(id));
  const participants = found.flatMap((id) => {
    const { type, participants: some = [] } = beliefs.get(id);
    return type === 'relation' ? some : [];
  });
  const joined = participants.filter((id) => {
    const belief = beliefs.get(id);
    if (belief === undefined || pinned.includes(id) || found.includes(id)) return false;
    return belief.user_id === user && isInside(belief, scope);
  });
  const capped = pinned.slice(0, maxBeliefs);
  const relevant = [...found, ...joined].slice(0, maxBeliefs - capped.length);
  const prelude = user === USER ? PRELUDE : '';
  return { pinned: capped, relevant, questions: questions.slice(0, maxQuestions), prelude };
}

/** What is wrong with an answer; nothing where the case passes. */
function failures({ pinned, relevant, questions, prelude }, expected) {
  const shown = [...relevant, ...pinned];
  const wrong = [];
  const check = (asked, some, isWanted) => {
    for (const id of asked ?? []) if (some.includes(id) !== isWanted) wrong.push(id);
  };
  const { relevantBeliefs = {}, pinnedFacts = {}, openQuestions = {}, personaPrelude } = expected;
  check(relevantBeliefs.mustInclude, shown, true);
  check(relevantBeliefs.mustExclude, shown, false);
  const only = relevantBeliefs.shouldOnlyInclude;
  check(only, relevant, true);
  if (only !== undefined) wrong.push(...relevant.filter((id) => !only.includes(id)));
  check(pinnedFacts.mustInclude, pinned, true);
  check(pinnedFacts.mustExclude, pinned, false);
  check(openQuestions.mustInclude, questions, true);
  check(openQuestions.mustExclude, questions, false);
  check(expected.noiseCheck?.mustNotSurface, shown, false);
  check(personaPrelude?.contains, prelude, true);
  if (personaPrelude?.nonEmpty && prelude === '') wrong.push('prelude');
  if (personaPrelude?.isNull && prelude !== '') wrong.push('prelude');
  return wrong;
}

async function single(named) {
  const cases = read('retrieval.cases.json');
  const store = await openBeliefs(named);
  let passed = 0;
  for (const { userId = USER, scope, query, budget, expect } of cases) {
    const context = await contextFor(store, userId, scope, query, budget);
    if (failures(context, expect).length === 0) passed += 1;
  }
  await store.close();
  return { passed, of: cases.length };
}

async function sessions(named) {
  let passed = 0;
  let of = 0;
  for (const { turns } of read('session-retrieval.cases.json')) {
    const store = await openBeliefs(named);
    for (const turn of turns) {
      const context = await contextFor(store, USER, turn.scope, turn.userMessage);
      of += 1;
      if (failures(context, turn.expect).length === 0) passed += 1;
      if (turn.createBeliefAtTurn) await store.save(turn.createBeliefAtTurn);
      const { beliefId, addAliases } = turn.updateBeliefAtTurn ?? {};
      if (addAliases) await store.addAliases(beliefId, addAliases);
    }
    await store.close();
  }
  return { passed, of };
}

for (const named of [true, false]) {
  const [one, several] = [await single(named), await sessions(named)];
  const sum = `${one.passed + several.passed} of ${one.of + several.of}`;
  console.log(
    `${named ? 'named' : 'any word'}: ${sum} cases (${one.passed} of ${one.of} single, ${several.passed} of ${several.of} of sessions)`,
  );
}
