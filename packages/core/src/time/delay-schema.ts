import { Type } from '@sinclair/typebox';
import type { DelayDistribution } from '../contract/fields.generated.js';

/** A delay as people write it: a duration such as `250ms`, or an object that says how it is rolled. */
export type DelaySource = string | DelayDistribution;

const closed = { additionalProperties: false };

/** The schema of a delay. It has no `$id` and may stand in one schema many times. */
export const DelaySchema = Type.Unsafe<DelaySource>(
  Type.Union(
    [
      Type.String({ description: 'A duration such as `250ms` or `1m30s`.' }),
      Type.Object(
        {
          fixed: Type.Optional(Type.String({ description: 'Always this long.' })),
          uniform: Type.Optional(
            Type.Object(
              {
                min: Type.String({ description: 'The shortest delay.' }),
                max: Type.String({ description: 'The longest delay.' }),
              },
              { ...closed, description: 'Any length within these bounds is as likely as another.' },
            ),
          ),
          lognormal: Type.Optional(
            Type.Object(
              {
                median: Type.String({ description: 'Half of the delays are shorter.' }),
                sigma: Type.Number({
                  minimum: 0,
                  maximum: 5,
                  description:
                    'How far they spread: the standard deviation of their logarithm; 0.4 is that of many servers.',
                }),
                max: Type.Optional(
                  Type.String({ description: 'No delay is longer: one that would be is rolled again.' }),
                ),
              },
              {
                ...closed,
                description: 'Most delays are near the median, and a few much longer, as with real servers.',
              },
            ),
          ),
        },
        { ...closed, description: 'A delay that is rolled for each message: exactly one of these.' },
      ),
    ],
    { description: 'How long to wait: a duration, or how it is rolled.' },
  ),
);

/** {@link DelaySchema} with another description. */
export function delayField(description: string): typeof DelaySchema {
  return Type.Unsafe<DelaySource>({ ...DelaySchema, description });
}
