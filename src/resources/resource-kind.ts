/**
 * What a kind of MCP resource is: plain definitions, one object for each kind; `server/` implements the
 * protocol, `resources.ts` joins the kinds into one list.
 */
import type { App } from '../app.js';
import type { Completer } from './completions.js';

export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  /** Absent where the resource is part of this package. */
  readonly annotations?: { readonly lastModified: string };
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

export interface ResourcePage {
  readonly resources: readonly ListedResource[];
  readonly nextCursor?: string;
}

export interface ResourceContent {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface ResourceNotifier {
  /** Its content changed, or it is gone; without a key, any resource of the kind may have changed. */
  changed(key: string | undefined): void;
  /** What a list shows of it now, as far as a change of that is news of the list; absent: nothing. */
  listed(key: string, listing: string | undefined): void;
}

export interface ResourceKind {
  /** Stands before a colon in cursors. */
  readonly name: string;
  /** Sent beside the content where the content itself does not say that it is quoted data. */
  readonly notice?: string;
  readonly templates: readonly ResourceTemplate[];
  /** Of the variables of the templates. */
  readonly completers: { readonly [variable: string]: Completer };
  /** Whether an address is one of this kind, well-formed or not. */
  owns(uri: string): boolean;
  /** VALIDATION_ERROR: bad cursor. */
  list(app: App, page: { cursor?: string; limit: number }): Promise<ResourcePage>;
  /** VALIDATION_ERROR: no such address; else like the store's reading. */
  read(app: App, uri: string): Promise<ResourceContent>;
  /** The key under which its changes are reported. Throws like `read`. */
  keyOf(app: App, uri: string): Promise<string>;
  /** Everything that a list shows, in the form in which `follow` reports it. */
  known(app: App): Promise<(readonly [key: string, listing: string])[]>;
  /** Every change from now on; the function ends that. */
  follow(app: App, notifier: ResourceNotifier): () => void;
}
