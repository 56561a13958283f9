#!/usr/bin/env node
import { smokeTest } from '../checks/smoke.mjs';

try {
  await smokeTest();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
