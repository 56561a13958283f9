/**
 * Joins the rules between parentheses, which may be spread over several arguments.
 *
 * @returns the rules, or that with which parentheses begin that do not end
 */
export function mergeSelectors(rules: readonly string[]): readonly string[] | string {
  const merged: string[] = [];
  let open: string[] | undefined;
  for (const rule of rules) {
    if (rule.startsWith('(') && !rule.endsWith(')')) open = [rule];
    else if (open === undefined) merged.push(rule);
    else {
      open.push(rule);
      if (!rule.endsWith(')')) continue;
      merged.push(open.join(' '));
      open = undefined;
    }
  }
  return open?.[0] ?? merged;
}
