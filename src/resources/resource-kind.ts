/**
 * The interface of a kind of MCP resource, such as conversations or notes. `resources.ts` joins the kinds
 * into one list, and `server/` implements the protocol.
 */
import type { App } from '../app.js';
import type { Completer } from './completions.js';

export interface ListedResource extends Omit<ResourceTemplate, 'uriTemplate'> {
  readonly uri: string;
  /** Absent if the resource is a file of this package. */
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
  /** A resource changed or was removed. Without a key, all resources of the kind may have changed. */
  changed(key: string | undefined): void;
  /** `listing`: a text that changes if the entry in the list changes; `undefined` if it is not listed. */
  listed(key: string, listing: string | undefined): void;
}

export interface ResourceKind {
  /** The prefix of cursors of this kind, before a colon. */
  readonly name: string;
  /** Sent with the content, if the content itself does not state that it is data. */
  readonly notice?: string;
  readonly templates: readonly ResourceTemplate[];
  /** By variable of the templates. */
  readonly completers: { readonly [variable: string]: Completer };
  /** True if the URI belongs to this kind, also if it is not well-formed. */
  owns(uri: string): boolean;
  /** Throws VALIDATION_ERROR for an invalid cursor. */
  list(app: App, page: { cursor?: string; limit: number }): Promise<ResourcePage>;
  /** Throws VALIDATION_ERROR for an invalid URI, and the errors of the store. */
  read(app: App, uri: string): Promise<ResourceContent>;
  /** The key that `follow` reports for this resource. Throws the errors of `read`. */
  keyOf(app: App, uri: string): Promise<string>;
  /** A second key that `follow` reports, if the URI has a name that another resource can get later. */
  nameIn?(uri: string): string;
  /** All listed resources, with key and listing as in `ResourceNotifier`. */
  known(app: App): Promise<(readonly [key: string, listing: string])[]>;
  /** Reports all changes from now on, until the returned function is called. */
  follow(app: App, notifier: ResourceNotifier): () => void;
}
