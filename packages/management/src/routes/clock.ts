import type { Host } from '@backlot/core';
import { Type, checkAt, invalid, parseDuration, type ValueOf } from '@backlot/core/plugin';
import { answers, fails, invalidAt, type ManagementRoute } from './management-route.js';

const tag = 'Clock';

// The last moment that a date can hold (ECMA-262, 21.4.1.1), one day early.
const LATEST = 8.64e15 - 86_400_000;
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i;

/** The state of the clock. */
export const ClockSchema = Type.Object({
  now: Type.String({ description: 'The virtual time.' }),
  frozen: Type.Boolean(),
  offset_ms: Type.Integer({ description: 'How far it is ahead of real time.' }),
});

/** What driving the clock takes. */
export const ClockChangeSchema = Type.Object(
  {
    advance: Type.Optional(Type.String({ description: 'Moves time forward by this duration, as in `1h`.' })),
    freeze: Type.Optional(Type.Boolean({ description: 'Stops time, or lets it go on.' })),
    now: Type.Optional(Type.String({ description: 'Jumps to this time (RFC 3339).' })),
  },
  { additionalProperties: false },
);

type ClockChange = ValueOf<typeof ClockChangeSchema>;
type ControlledClock = Host['clock'];

/** The virtual clock that drives delays, expiry and dates. */
export function clockRoutes(): ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/clock',
      name: 'getClock',
      tag,
      summary: 'The virtual time.',
      responses: { 200: answers('The clock.', ClockSchema) },
      handle: (_request, host) => ({ body: host.clock.view() }),
    },
    {
      method: 'POST',
      path: '/api/clock',
      name: 'setClock',
      tag,
      summary: 'Moves, stops or sets the virtual time; waits that become due end.',
      body: ClockChangeSchema,
      complete: ({ body }, host) => wholeChange(body as ClockChange, host.clock),
      examples: [{ advance: '1h' }, { freeze: true }, { now: '2030-01-01T00:00:00Z' }],
      responses: { 200: answers('The clock, changed.', ClockSchema), 400: fails('The body is not valid.') },
      async handle({ body }, host) {
        const { advance, freeze, now } = body as ClockChange;
        if (advance === undefined && freeze === undefined && now === undefined) {
          throw invalidAt('', 'give "advance", "freeze" or "now"');
        }
        if (advance !== undefined && now !== undefined)
          throw invalidAt('', 'give either "advance" or "now", not both');
        const step =
          advance === undefined ? undefined : checkAt('/advance', () => readStep(advance, host.clock.now()));
        const moment = now === undefined ? undefined : checkAt('/now', () => readTime(now));
        if (freeze !== undefined) host.clock.freeze(freeze);
        if (moment !== undefined) await host.clock.setNow(moment);
        if (step !== undefined) await host.clock.advance(step);
        return { body: host.clock.view() };
      },
    },
  ];
}

/** A change of the clock in which a time that stops is said: each replica would stop it at another one. */
function wholeChange({ advance, ...change }: ClockChange, clock: ControlledClock): ClockChange {
  const isKnown = change.now !== undefined || clock.view().frozen;
  if (change.freeze !== true || isKnown) return { ...change, ...(advance === undefined ? {} : { advance }) };
  const from = clock.now();
  const step = advance === undefined ? 0 : checkAt('/advance', () => readStep(advance, from));
  return { freeze: true, now: new Date(from + step).toISOString() };
}

function readStep(text: string, from: number): number {
  const step = parseDuration(text);
  if (from + step <= LATEST) return step;
  throw invalid(`advance ${JSON.stringify(text)} goes beyond the last date there is`);
}

function readTime(text: string): number {
  const moment = RFC_3339.test(text) ? Date.parse(text) : NaN;
  if (Number.isFinite(moment)) return moment;
  throw invalid(
    `now ${JSON.stringify(text.slice(0, 100))} is not a time; write it as in "2030-01-01T00:00:00Z"`,
  );
}
