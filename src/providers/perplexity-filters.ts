/**
 * Checks the search filters completely, so that no invalid request is sent and paid for, and converts them
 * to the field names and date format of both API formats.
 */
import { AppError } from '../base/errors.js';
import { defined } from '../base/json.js';

export const RECENCIES = ['hour', 'day', 'week', 'month', 'year'] as const;
export const SEARCH_MODES = ['web', 'academic'] as const;

export interface SearchFilters {
  readonly recency?: (typeof RECENCIES)[number];
  /** Host names; a leading `-` excludes. At most 20. */
  readonly domains?: readonly string[];
  /** Publication dates, `YYYY-MM-DD` or `MM/DD/YYYY`. */
  readonly after?: string;
  readonly before?: string;
  readonly mode?: (typeof SEARCH_MODES)[number];
}

/** The field names in both API formats. */
export interface WireFilters {
  search_domain_filter?: string[];
  search_recency_filter?: string;
  search_after_date_filter?: string;
  search_before_date_filter?: string;
}

/** The limit of the API. */
const MAX_DOMAINS = 20;
const MAX_DOMAIN_LENGTH = 253;
const DOMAIN = /^-?(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,}$/u;

/** Throws VALIDATION_ERROR with the argument's name in the tools. The backend handles `mode`. */
export function toWireFilters(filters: SearchFilters): WireFilters {
  const after = toWireDate('search_after_date_filter', filters.after);
  const before = toWireDate('search_before_date_filter', filters.before);
  if (filters.recency !== undefined && (after !== undefined || before !== undefined)) {
    throw invalid(
      'search_recency_filter',
      'search_recency_filter cannot be combined with search_after_date_filter or search_before_date_filter.',
      'Give either the recency or the dates, not both.',
    );
  }
  if (after !== undefined && before !== undefined && sortable(after) > sortable(before)) {
    throw invalid(
      'search_after_date_filter',
      'search_after_date_filter is later than search_before_date_filter.',
      'Swap the two dates.',
    );
  }
  const domains = checkDomains(filters.domains ?? []);
  return {
    ...(domains.length > 0 && { search_domain_filter: domains }),
    ...defined({
      search_recency_filter: filters.recency,
      search_after_date_filter: after,
      search_before_date_filter: before,
    }),
  };
}

/** At most MAX_DOMAINS. */
export const SCHOLARLY_DOMAINS: readonly string[] = [
  'arxiv.org',
  'pubmed.ncbi.nlm.nih.gov',
  'ncbi.nlm.nih.gov',
  'nature.com',
  'science.org',
  'sciencedirect.com',
  'link.springer.com',
  'onlinelibrary.wiley.com',
  'jstor.org',
  'academic.oup.com',
  'cambridge.org',
  'ieeexplore.ieee.org',
  'dl.acm.org',
  'aclanthology.org',
  'openreview.net',
  'biorxiv.org',
  'medrxiv.org',
  'plos.org',
  'pnas.org',
  'semanticscholar.org',
];

/**
 * For an API without academic mode: limits the search to scholarly domains, unless the caller names domains. The
 * notes say so.
 */
export function withoutAcademicMode(filters: WireFilters): {
  filters: WireFilters;
  notes: string[];
} {
  const { search_domain_filter: given } = filters;
  const note =
    given === undefined
      ? `This API has no academic mode. Instead, the search was limited to ${SCHOLARLY_DOMAINS.length} scholarly domains (arxiv.org, pubmed, nature.com, …).`
      : 'search_mode academic was not used: this API has no academic mode, and Daybook would replace it by a domain filter, but search_domain_filter is given.';
  return {
    filters: { ...filters, search_domain_filter: given ?? [...SCHOLARLY_DOMAINS] },
    notes: [note],
  };
}

function checkDomains(domains: readonly string[]): string[] {
  const field = 'search_domain_filter';
  if (domains.length > MAX_DOMAINS) {
    throw invalid(
      field,
      `search_domain_filter takes at most ${MAX_DOMAINS} domains, not ${domains.length}.`,
      `Give at most ${MAX_DOMAINS} domains.`,
    );
  }
  for (const domain of domains) {
    if (domain.length <= MAX_DOMAIN_LENGTH && DOMAIN.test(domain)) continue;
    throw invalid(
      field,
      `${JSON.stringify(domain.slice(0, 80))} is not a bare host name.`,
      'Write example.com, without https:// and without a path; -example.com excludes it.',
    );
  }
  const excluding = domains.filter((domain) => domain.startsWith('-')).length;
  if (excluding > 0 && excluding < domains.length) {
    throw invalid(
      field,
      'search_domain_filter has both domains to include and domains to exclude.',
      'Give only domains to search, or only domains to exclude, each with "-" in front.',
    );
  }
  return [...domains];
}

/** Converts `YYYY-MM-DD` or `MM/DD/YYYY` to `MM/DD/YYYY`. Throws for a date that does not exist. */
function toWireDate(field: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value);
  const american = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(value);
  const [year, month, day] = iso
    ? [Number(iso[1]), Number(iso[2]), Number(iso[3])]
    : [Number(american?.[3]), Number(american?.[1]), Number(american?.[2])];
  const date = new Date(Date.UTC(year, month - 1, day));
  if (
    date.getUTCFullYear() !== year ||
    date.getUTCMonth() !== month - 1 ||
    date.getUTCDate() !== day
  ) {
    throw invalid(
      field,
      `${field} ${JSON.stringify(value.slice(0, 40))} is not a date.`,
      'Write it as 2025-01-31 or 01/31/2025.',
    );
  }
  const two = (n: number) => String(n).padStart(2, '0');
  return `${two(month)}/${two(day)}/${String(year).padStart(4, '0')}`;
}

const sortable = (wireDate: string) => wireDate.slice(6) + wireDate.slice(0, 5);

function invalid(field: string, message: string, hint: string): AppError {
  return new AppError('VALIDATION_ERROR', message, {
    hint,
    details: { field, outcome: 'not_sent' },
  });
}
