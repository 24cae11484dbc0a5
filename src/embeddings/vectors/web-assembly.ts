/**
 * The part of WebAssembly that Daybook uses. TypeScript has these types only in its browser library, not in
 * Node's.
 */

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>;
}

interface WebAssemblyApi {
  readonly Memory: new (size: { readonly initial: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => WasmInstance;
  validate(bytes: Uint8Array): boolean;
}

export const webAssembly = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
