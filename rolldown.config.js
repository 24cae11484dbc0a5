/** The command as a few files: resolving hundreds of modules would triple the time it takes to start. */
export default {
  input: 'src/cli/main.ts',
  platform: 'node',
  logLevel: 'warn',
  output: { dir: 'dist/cli', format: 'esm' },
};
