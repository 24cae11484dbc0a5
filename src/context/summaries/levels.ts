/** Maximum length of a summary of each level, in estimated tokens (base/text/estimate-tokens.ts). */
import type { SummaryLevel } from '../../stores/summaries/summary-file.js';

export const LEVEL_TOKENS: Readonly<Record<SummaryLevel, number>> = {
  brief: 80,
  standard: 320,
  detailed: 1_100,
};
