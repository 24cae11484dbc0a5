/** Starts the page. A one-time link in the URL is first exchanged for a session. */
import { render } from 'preact';
import { browserAddress, setAddress } from './navigation/address.js';
import { connect } from './server/api.js';
import { httpConnection, isSignedIn, signIn } from './server/http.js';
import { Shell } from './shell.jsx';
import { SignIn } from './sign-in.jsx';
import './style.css';

const OPEN = '#open=';

async function start(place: HTMLElement): Promise<void> {
  if (location.hash.startsWith(OPEN)) {
    const link = location.hash.slice(OPEN.length);
    // Replaces the entry in the history, so that the secret is not kept there.
    history.replaceState(null, '', '#/');
    await signIn({ link });
  }
  setAddress(browserAddress);
  connect(httpConnection);
  const isKnown = await isSignedIn();
  render(isKnown ? <Shell /> : <SignIn onDone={() => render(<Shell />, place)} />, place);
}

const place = document.getElementById('app');
if (place !== null) void start(place);
