/**
 * Loads WebAssembly. Each module is a text (`*.wat`) with its bytes in Base64 beside it (`*-wasm.ts`), which
 * `npm run gen` writes; test/web-assembly.test.ts checks that they agree. The types are here because TypeScript
 * has them only in its browser library.
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
  readonly Instance: new (module: object, imports?: object) => WasmInstance;
  validate(bytes: Uint8Array): boolean;
}

export const webAssembly = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
