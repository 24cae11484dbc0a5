/** The sign-in form for browsers without a one-time link: it asks for the token of the server. */
import { useState } from 'preact/hooks';
import { CallError } from './server/api.js';
import { signIn } from './server/http.js';

export function SignIn({ onDone }: { onDone(): void }) {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState('');
  const send = async (event: Event) => {
    event.preventDefault();
    setProblem('');
    try {
      if (await signIn({ token: token.trim() })) onDone();
      else setProblem('This is not the token of this server.');
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      setProblem(`${error.message} ${error.hint}`);
    }
  };
  return (
    <main class="sign-in">
      <h1>Daybook</h1>
      <p>
        Run <code>daybook open</code> for a link that opens this page, or give the token of this
        server (<code>DAYBOOK_HTTP_TOKEN</code>). A link works once.
      </p>
      <form onSubmit={(event) => void send(event)}>
        <label>
          Token{' '}
          <input
            type="password"
            autocomplete="off"
            value={token}
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
          />
        </label>{' '}
        <button type="submit">Open</button>
      </form>
      {problem !== '' && <p role="alert">{problem}</p>}
    </main>
  );
}
