/** Sums by name as bars. A name can be a link to the figures with only this name. */

import { shownMoney, shownNumber } from '../components.jsx';
import { hrefOf } from '../navigation/route.js';
import type { Output } from '../server/api.js';

type Named = NonNullable<Output<'get_analytics'>['modules']>;
/** Parameters of the address of the figures. */
type Conditions = Readonly<Record<string, string>>;

export interface BarsProps {
  readonly title: string;
  readonly rows: Named;
  /** The conditions of the present address. */
  readonly given: Conditions;
  /** The conditions for a row; `undefined` if there is no such filter. */
  only?(name: string): Conditions | undefined;
}

export const ofModule = (module: string): Conditions | undefined =>
  module === '' ? undefined : { module };

export const ofRole = (role: string): Conditions => ({ role });

/** The conditions for a month such as 2025-01. */
export function inMonth(month: string): Conditions {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const last = new Date(Date.UTC(year, number, 0)).getUTCDate();
  return { from: `${month}-01`, to: `${month}-${last}` };
}

export function Bars({ title, rows, given, only = () => undefined }: BarsProps) {
  if (rows.length === 0) return null;
  const most = Math.max(...rows.map(({ messages }) => messages));
  return (
    <section>
      <h2>{title}</h2>
      <table class="bars">
        <tbody>
          {rows.map(({ name, messages, costs }) => (
            <tr key={name}>
              <th scope="row">
                <Name name={name || 'no module'} given={given} conditions={only(name)} />
              </th>
              <td class="number">{shownNumber(messages)}</td>
              <td class="share">
                <span style={{ width: `${(messages / most) * 100}%` }} />
              </td>
              <td class="number">
                {costs.map(({ currency, total }) => shownMoney(total, currency)).join(' ')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Name(props: {
  readonly name: string;
  readonly given: Conditions;
  readonly conditions: Conditions | undefined;
}) {
  const { name, given, conditions } = props;
  if (conditions === undefined) return <bdi>{name}</bdi>;
  return (
    <a href={hrefOf('figures', '', { ...given, ...conditions })}>
      <bdi>{name}</bdi>
    </a>
  );
}
