/** An insight with the unknown fields of its file. */
import type { JsonObject } from '../../base/json-fields.js';
import type { Insight } from './schema.js';

export interface StoredInsight {
  readonly insight: Insight;
  /** The fields that this version does not know. They are kept. */
  readonly extra: JsonObject;
}
