#!/usr/bin/env node
import { findPackedProblems } from '../checks/packed.mjs';

const problems = await findPackedProblems(process.cwd());
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
