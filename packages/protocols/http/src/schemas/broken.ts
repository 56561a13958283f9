import { Type } from '@backlot/core/plugin';
import { BROKEN_FORMS, type BrokenForm } from '@backlot/kit/http';

/** A broken form of an answer. */
export const BrokenSchema = Type.Unsafe<BrokenForm>(BROKEN_FORMS);
