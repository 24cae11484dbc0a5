/** The native SQLite that benches compare with: a package of bench/, because it may have to be compiled. */
let Database;
try {
  ({ default: Database } = await import('better-sqlite3'));
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  console.error(
    'This bench compares Daybook with better-sqlite3. Install that first: npm --prefix bench ci',
  );
  process.exit(1);
}

export { Database };
