import { describe, expect, it } from '@jest/globals';
import { compileLayout } from '../../src/templates/go-layout.js';

const MORNING = new Date(Date.UTC(2026, 2, 7, 9, 5, 3, 45));
const EVENING = new Date(Date.UTC(2024, 11, 31, 23, 59, 58, 120));

describe('compileLayout', () => {
  it.each<[string, string | number, string | number]>([
    ['2006-01-02', '2026-03-07', '2024-12-31'],
    ['2006-01-02T15:04:05Z07:00', '2026-03-07T09:05:03Z', '2024-12-31T23:59:58Z'],
    ['2006-01-02T15:04:05.000Z', '2026-03-07T09:05:03.045Z', '2024-12-31T23:59:58.120Z'],
    ['1/2/06', '3/7/26', '12/31/24'],
    ['_2 Jan', ' 7 Mar', '31 Dec'],
    ['January 2, 2006', 'March 7, 2026', 'December 31, 2024'],
    ['Monday', 'Saturday', 'Tuesday'],
    ['Mon', 'Sat', 'Tue'],
    ['3:04PM', '9:05AM', '11:59PM'],
    ['03:4:5 pm', '09:5:3 am', '11:59:58 pm'],
    ['15h', '09h', '23h'],
    ['002', '066', '366'],
    ['__2', ' 66', '366'],
    ['_2006', '_2026', '_2024'],
    ['05.00', '03.04', '58.12'],
    ['05.999', '03.045', '58.12'],
    ['05,999999', '03,045', '58,12'],
    ['05.000000000', '03.045000000', '58.120000000'],
    [
      'MST -0700 -07:00 -07 -07:00:00 -070000',
      'UTC +0000 +00:00 +00 +00:00:00 +000000',
      'UTC +0000 +00:00 +00 +00:00:00 +000000',
    ],
    ['Z0700 Z07 Z07:00:00 Z070000 2', 'Z Z Z Z 7', 'Z Z Z Z 31'],
    ['Mon, 02 Jan 2006 15:04:05 GMT', 'Sat, 07 Mar 2026 09:05:03 GMT', 'Tue, 31 Dec 2024 23:59:58 GMT'],
    ['Janet 2006 Months', 'Janet 2026 Months', 'Janet 2024 Months'],
    ['20060102150405', '20260307090503', '20241231235958'],
    ['day 2', 'day 7', 'day 31'],
    ['ANSIC', 'Sat Mar  7 09:05:03 2026', 'Tue Dec 31 23:59:58 2024'],
    ['RFC822', '07 Mar 26 09:05 UTC', '31 Dec 24 23:59 UTC'],
    ['RFC850', 'Saturday, 07-Mar-26 09:05:03 UTC', 'Tuesday, 31-Dec-24 23:59:58 UTC'],
    ['RFC1123', 'Sat, 07 Mar 2026 09:05:03 UTC', 'Tue, 31 Dec 2024 23:59:58 UTC'],
    ['RFC1123Z', 'Sat, 07 Mar 2026 09:05:03 +0000', 'Tue, 31 Dec 2024 23:59:58 +0000'],
    ['RFC3339', '2026-03-07T09:05:03Z', '2024-12-31T23:59:58Z'],
    ['RFC3339Nano', '2026-03-07T09:05:03.045Z', '2024-12-31T23:59:58.12Z'],
    ['Kitchen', '9:05AM', '11:59PM'],
    ['StampMilli', 'Mar  7 09:05:03.045', 'Dec 31 23:59:58.120'],
    ['DateTime', '2026-03-07 09:05:03', '2024-12-31 23:59:58'],
    ['rfc3339', '2026-03-07T09:05:03.045Z', '2024-12-31T23:59:58.120Z'],
    ['unix', 1772874303, 1735689598],
    ['unix_ms', 1772874303045, 1735689598120],
  ])('%j', (layout, morning, evening) => {
    const format = compileLayout(layout);
    expect(format?.(MORNING)).toBe(morning);
    expect(format?.(EVENING)).toBe(evening);
  });

  it('omits a fraction of nines that is zero, and knows noon and midnight', () => {
    expect(compileLayout('05.999')?.(new Date(0))).toBe('00');
    expect(compileLayout('3PM')?.(new Date(0))).toBe('12AM');
    expect(compileLayout('3PM')?.(new Date(12 * 3_600_000))).toBe('12PM');
  });

  it('counts the days of leap years', () => {
    expect(compileLayout('002')?.(new Date(Date.UTC(2024, 1, 29)))).toBe('060');
    expect(compileLayout('002')?.(new Date(Date.UTC(2025, 0, 1, 23, 59)))).toBe('001');
  });

  it.each(['', 'YYYY-MM-DD', 'hello', '__proto__', 'Rfc'])('has no date in %j', (layout) => {
    expect(compileLayout(layout)).toBeUndefined();
  });
});
