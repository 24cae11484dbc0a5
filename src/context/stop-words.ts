/**
 * Common English words that say nothing about the subject of a text: the function words, and words such as
 * "thanks". A list is needed, because in a new store these words are not yet frequent.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above actually after again all almost along already also although always am an and another
  any anything are aren't around as ask at back be because been before being below best better between
  both but by came can can't cannot come could couldn't did didn't different do does doesn't doing don't
  done down each either else enough even ever every everything example few find first for from further
  get gets getting give given go goes going good got great had has hasn't have haven't having he hello
  help her here hers him his how however i i'd i'll i'm i've idea if in instead into is isn't it it's
  its just keep kind know last later least less let let's like likely little ll look lot made make makes
  many may maybe me mean might more most much must my need needs never new next no nor not nothing now
  of off ok okay on once one only or other others our out over own part perhaps please point possible
  probably put quite rather re really right said same say see seem seems she should shouldn't since so
  some something soon still such sure take tell than thank thanks that that's the their them then there
  there's these they they're thing things think this those though through time to today together too
  try two under until up us use used useful using ve very want wants was wasn't way we we'll we're we've
  well went were weren't what what's when where whether which while who whole why will with within
  without won't work would wouldn't yes yet you you'd you'll you're you've your yours`.split(/\s+/),
);
