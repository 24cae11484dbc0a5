/** The view of imports: uploads a file of another program, shows a dry run, and then imports it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { counted, Failure, FigureRow, shownNumber } from '../components.jsx';
import { onDropped } from '../import/dropped-file.js';
import { hrefOf } from '../navigation/route.js';
import { notify, notifyError } from '../notices.jsx';
import { CallError, call, type Output } from '../server/api.js';
import { dropUpload, upload } from '../server/http.js';

type ImportReport = Output<'import_conversations'>;
interface State {
  readonly step: 'choose' | 'reading' | 'plan' | 'importing' | 'done';
  readonly name?: string;
  readonly account?: ImportReport;
  readonly error?: CallError;
}

export function ImportView() {
  const [state, setState] = useState<State>({ step: 'choose' });
  const latest = useRef(state);
  latest.current = state;
  const isBusy = () => /^(reading|importing)$/.test(latest.current.step);
  const isGone = useRef(false);
  const uploaded = useRef('');
  const release = () => {
    const path = uploaded.current;
    uploaded.current = '';
    if (path !== '') void dropUpload(path).catch(() => undefined);
  };
  /** The uploaded file is removed when it is not needed any more: also after an error, or if the view is gone. */
  const attempt = async (work: () => Promise<State>) => {
    try {
      const next = await work();
      if (next.step === 'done' || isGone.current) release();
      if (next.step === 'done' && isGone.current) notify({ text: sentence(next) });
      setState(next);
    } catch (error) {
      release();
      if (isGone.current) notifyError(error, NOT_IMPORTED);
      if (!(error instanceof CallError)) throw error;
      setState({ step: 'choose', error });
    }
  };
  const take = (file: File) => {
    if (isBusy()) return;
    release();
    const { name } = file;
    setState({ step: 'reading', name });
    void attempt(async () => {
      uploaded.current = (await upload(file)).path;
      const account = await importOf(uploaded.current, name, true);
      return { step: 'plan', name, account };
    });
  };
  const bringIn = () => {
    const { name = '' } = state;
    setState({ ...state, step: 'importing' });
    void attempt(async () => {
      const account = await importOf(uploaded.current, name, false);
      return { step: 'done', name, account };
    });
  };
  useEffect(() => {
    const stop = onDropped(take);
    return () => {
      stop();
      isGone.current = true;
      if (!isBusy()) release();
    };
  }, []);
  const { step, account, error, name } = state;
  return (
    <div class="import">
      <h1>Import</h1>
      <p>
        Drop an export of ChatGPT, Claude or another program onto this page, as it was downloaded: a
        zip archive, or a JSON, JSONL or Markdown file. The page first shows what would be imported.
        Nothing is changed until you confirm.
      </p>
      <label class="drop">
        Choose a file{' '}
        <input
          type="file"
          disabled={step === 'reading' || step === 'importing'}
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file) take(file);
            currentTarget.value = '';
          }}
        />
      </label>
      {error && <Failure error={error} />}
      <p role="status">{sentence(state)}</p>
      {account && <ReportView account={account} isPlan={step !== 'done'} />}
      {step === 'plan' && account && (
        <p class="actions">
          <button type="button" disabled={isNothing(account)} onClick={bringIn}>
            Import
          </button>
          <button
            type="button"
            onClick={() => {
              release();
              setState({ step: 'choose' });
            }}
          >
            Cancel
          </button>
        </p>
      )}
      {step === 'done' && <a href={hrefOf('')}>To the timeline</a>}
      {name && <span class="visually-hidden">{name}</span>}
    </div>
  );
}

const NOT_IMPORTED = 'The file was not imported.';

/** Its errors have the name of the file, because the user does not know the path of the upload. */
async function importOf(path: string, name: string, dryRun: boolean): Promise<ImportReport> {
  try {
    return await call('import_conversations', { path, dryRun });
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const { code, message, hint } = error;
    throw new CallError(code, message.replaceAll(path, name), hint);
  }
}

function sentence({ step, name }: State): string {
  if (step === 'reading') return `Reading ${name}…`;
  if (step === 'plan')
    return `This is what would be imported from ${name}. Nothing is imported yet.`;
  if (step === 'importing') return `Importing ${name}…`;
  return step === 'done' ? `${name} is imported.` : '';
}

const isNothing = ({ added, updated, notes, notesUpdated, insights, facts }: ImportReport) =>
  added + updated + notes + notesUpdated + insights + facts === 0;

function ReportView(props: { readonly account: ImportReport; readonly isPlan: boolean }) {
  const { account, isPlan } = props;
  const { sources, problems, problemsTotal } = account;
  const facts: readonly (readonly [string, number])[] = [
    [isPlan ? 'new conversations' : 'conversations added', account.added],
    [isPlan ? 'to be continued' : 'continued', account.updated],
    ['already stored', account.unchanged],
    ['skipped', account.skipped],
    ['messages', account.messages],
    ['notes', account.notes],
    ['notes with a newer text', account.notesUpdated],
    ['insights', account.insights],
    ['facts', account.facts],
    ['secrets not stored', account.masked],
  ];
  return (
    <section aria-label="Report of the import">
      <p>Recognised as: {sources.map(({ title }) => title).join(', ') || 'no known format'}.</p>
      <FigureRow
        figures={facts
          .filter(([, count], at) => at < 2 || count > 0)
          .map(([what, count]) => [what, shownNumber(count)] as const)}
      />
      {problemsTotal > 0 && (
        <>
          <p>{counted(problemsTotal, 'record')} could not be read:</p>
          <ul>
            {problems.map(({ path, record, message }) => (
              <li key={`${path} ${record}`}>
                <bdi>{record ?? fileName(path)}</bdi>: {message}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

const fileName = (path: string) => path.split(/[\\/]/).at(-1) ?? path;
