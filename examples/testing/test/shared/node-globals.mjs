import { after, before, beforeEach, it } from 'node:test';

// The files are the same for all runners, which have these as globals.
Object.assign(globalThis, { after, before, beforeEach, it });
