#!/usr/bin/env node
try {
  await import('../dist/main.js');
} catch (error) {
  // Nothing else can say so: it would have to be read from a file first.
  if (error.code !== 'EMFILE' && error.code !== 'ENFILE') throw error;
  console.error(
    `error: ${error.message}; raise the limit of open files before the start, as in "ulimit -n 65536"`,
  );
  process.exitCode = 1;
}
