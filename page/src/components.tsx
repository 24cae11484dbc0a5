/** Small components that several views use. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { shortened } from '../../src/base/text/display-text.js';
import { copyText } from './copy.js';
import type { CallError } from './server/api.js';

/** `view`: the main heading, if the view shows nothing else. */
export function Empty({
  view,
  title,
  children,
}: {
  view?: string;
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      {view && <h1 class="visually-hidden">{view}</h1>}
      <h2>{title}</h2>
      {children}
    </div>
  );
}

interface FailureProps {
  /** The main heading, if the view shows nothing else. */
  readonly view?: string;
  readonly error: CallError;
}

/** After the end of the session, a button leads to the sign-in form. */
export function Failure({ view, error }: FailureProps) {
  return (
    <>
      {view && <h1 class="visually-hidden">{view}</h1>}
      <div class="failure" role="alert">
        <strong>{error.message}</strong> {error.hint}
        {error.code === 'SIGNED_OUT' && <ReloadButton label="Sign in" />}
      </div>
    </>
  );
}

export function ReloadButton({ label }: { readonly label: string }) {
  return (
    <button type="button" onClick={() => location.reload()}>
      {label}
    </button>
  );
}

export function CopyButton({ label, text }: { readonly label: string; readonly text: string }) {
  const [outcome, setOutcome] = useState<string>();
  return (
    <button type="button" onClick={() => void copyText(text).then(setOutcome)}>
      {outcome ?? label}
    </button>
  );
}

interface Named {
  readonly conversationId: string;
  readonly title?: string | undefined;
}

/** The title of a conversation, shortened; its id if it has none, or an empty one, which only a person can write. */
export const titleOf = ({ title = '', conversationId }: Named): string =>
  title.trim() === '' ? conversationId : shortened(title);

const numbers = new Intl.NumberFormat();

/** A number in the format of the user's language. */
export const shownNumber = (count: number): string => numbers.format(count);

const amounts = new Intl.NumberFormat(undefined, {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** Such as `1,234.50 EUR`. */
export const shownMoney = (total: number, currency: string): string =>
  `${amounts.format(total)} ${currency}`;

/** Such as `1 message` or `2,192 messages`. */
export const counted = (count: number, name: string): string =>
  `${shownNumber(count)} ${name}${count === 1 ? '' : 's'}`;

export type NamedFigures = readonly (readonly [name: string, value: string])[];

/** Figures in a row, each with its name. */
export function FigureRow({ figures }: { readonly figures: NamedFigures }) {
  return (
    <dl class="totals">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const dayOfThisYear = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const timeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

interface TimeProps {
  /** In ISO 8601, or in milliseconds since 1970. */
  readonly at: string | number;
  readonly isDay?: boolean;
}

/** A time in the user's time zone and language. A day of this year is shown without the year. */
export function Time({ at, isDay = false }: TimeProps) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>{at}</span>;
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  const day = isThisYear ? dayOfThisYear : dayFormat;
  return <time dateTime={date.toISOString()}>{(isDay ? day : timeFormat).format(date)}</time>;
}
