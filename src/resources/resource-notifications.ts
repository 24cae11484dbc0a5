/**
 * Collects the notifications about resources: updates of subscribed resources, and changes of the list
 * after the client has requested it. Changes within `GATHER_MS` become one notification.
 */
/** Without this wait, an import would cause thousands of notifications. */
export const GATHER_MS = 200;

export interface NotificationReceiver {
  updated(uri: string): void;
  listChanged(): void;
}

export class ResourceNotifications {
  readonly #receiver: NotificationReceiver;
  /** Subscribed URIs, by resource key. */
  readonly #subscribed = new Map<string, Set<string>>();
  /** The listing of each resource; `undefined` until a client requests a list. */
  #listed: Map<string, string | undefined> | undefined;
  /** The reading of all resources for the first list. */
  #reading: Promise<void> | undefined;
  /** What changed while they are read. */
  #meanwhile: Map<string, string | undefined> | undefined;
  readonly #updated = new Set<string>();
  #isListChanged = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(receiver: NotificationReceiver) {
    this.#receiver = receiver;
  }

  subscribe(uri: string, key: string): void {
    const uris = this.#subscribed.get(key);
    if (uris === undefined) this.#subscribed.set(key, new Set([uri]));
    else uris.add(uri);
  }

  unsubscribe(uri: string): void {
    this.#updated.delete(uri);
    for (const [key, uris] of this.#subscribed) {
      if (uris.delete(uri) && uris.size === 0) this.#subscribed.delete(key);
    }
  }

  /**
   * Call it when a client requests a list. `known` returns all resources; only the first call needs them,
   * because a long list is requested in many pages.
   */
  async listAsked(
    known: () => Promise<Iterable<readonly [key: string, listing: string]>>,
  ): Promise<void> {
    this.#reading ??= this.#readAll(known);
    await this.#reading;
  }

  /** Call it for every change of a resource. */
  changed(key: string): void {
    for (const uri of this.#subscribed.get(key) ?? []) this.#updated.add(uri);
    this.#sendSoon();
  }

  /** Call it if all resources whose key begins with `prefix` may have changed. */
  allChanged(prefix: string): void {
    for (const key of this.#subscribed.keys()) if (key.startsWith(prefix)) this.changed(key);
  }

  /** Call it with the present listing of a resource; `undefined` if it is no longer listed. */
  listed(key: string, listing: string | undefined): void {
    this.#meanwhile?.set(key, listing);
    if (this.#listed === undefined || this.#listed.get(key) === listing) return;
    this.#listed.set(key, listing);
    this.#isListChanged = true;
    this.#sendSoon();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#subscribed.clear();
    this.#listed = undefined;
  }

  async #readAll(known: () => Promise<Iterable<readonly [string, string]>>): Promise<void> {
    const meanwhile = new Map<string, string | undefined>();
    this.#meanwhile = meanwhile;
    try {
      this.#listed = new Map([...(await known()), ...meanwhile]);
    } catch (error) {
      this.#reading = undefined; // the next request reads again
      throw error;
    } finally {
      this.#meanwhile = undefined;
    }
  }

  #sendSoon(): void {
    if (this.#updated.size === 0 && !this.#isListChanged) return;
    this.#timer ??= setTimeout(() => this.#send(), GATHER_MS).unref();
  }

  #send(): void {
    this.#timer = undefined;
    const uris = [...this.#updated];
    const isListChanged = this.#isListChanged;
    this.#updated.clear();
    this.#isListChanged = false;
    if (isListChanged) this.#receiver.listChanged();
    for (const uri of uris) this.#receiver.updated(uri);
  }
}
