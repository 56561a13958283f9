/** A rule of the house that no linter brings. */
export default {
  meta: { name: 'house' },
  rules: {
    'no-export-all': {
      create: (/** @type {{ report: (problem: { node: unknown, message: string }) => void }} */ context) => ({
        /** @param {unknown} node */
        ExportAllDeclaration(node) {
          context.report({ node, message: 'spell every export, so that a change of the public names shows' });
        },
      }),
    },
  },
};
