import { posix, relative, sep } from 'node:path';
import { ROOT, isDocument, isPage, pageOf } from './pages.mjs';

/** @import { MarkdownRenderer } from 'vitepress' */
/** @typedef {ReturnType<MarkdownRenderer['parse']>[number]} Token */

/**
 * The anchor of a heading, as GitHub makes it, which the links between the pages are written for.
 *
 * @param {string} heading
 */
export function slugify(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

/**
 * Fits the renderer to pages that are written to be read in the repository as well.
 *
 * @param {MarkdownRenderer} md
 * @param {string} base where the site begins, with `/` at both ends
 */
export function fitMarkdown(md, base) {
  md.core.ruler.push('links_of_the_repository', (state) => {
    const source = relative(ROOT, state.env.realPath ?? state.env.path)
      .split(sep)
      .join('/');
    for (const token of state.tokens) {
      if (token.children !== null) token.children = fitLinks(token.children, source, base);
    }
  });
  const { image } = md.renderer.rules;
  md.renderer.rules.image = (tokens, index, options, env, self) => {
    const light = image?.(tokens, index, options, env, self) ?? '';
    if (!light.includes('-light.png"')) return light;
    const dark = light.replace('-light.png"', '-dark.png"').replace('<img ', '<img class="shown-dark" ');
    return light.replace('<img ', '<img class="shown-light" ') + dark;
  };
  const render = md.render.bind(md);
  md.render = (text, env) => withoutVue(render(prepare(text), env));
}

/**
 * A page as the search reads it: words alone, so that nothing is spent on colours.
 *
 * @param {string} text
 * @param {object} env
 * @param {MarkdownRenderer} md
 */
export function renderForSearch(text, env, md) {
  const { highlight } = md.options;
  md.options.highlight = null;
  try {
    return md.render(text, env);
  } finally {
    md.options.highlight = highlight;
  }
}

/**
 * Braces are those of templates of Backlot, and no values of Vue. As entities they are that without `v-pre`, which would
 * make Vue keep every element of a page in its scripts, in place of the text alone.
 *
 * @param {string} html
 */
function withoutVue(html) {
  return html.replaceAll(/(<(?:pre|code)\b[^>]*?) v-pre(?=[ >])/g, '$1').replaceAll('{{', '&#123;&#123;');
}

/**
 * @param {string} text of a page
 * @returns {string} with what comments say to the reader of the source, said to that of the site
 */
function prepare(text) {
  return text
    .replaceAll(/<picture>[^]*?<img alt="([^"]*)" src="([^"]*)">\s*<\/picture>/g, '![$1]($2)')
    .replaceAll(/^( *)<!-- file: (\S+) -->$/gm, '$1<p class="file-name">$2</p>')
    .replaceAll(/^ *<!--[^]*?-->$/gm, '');
}

/**
 * Links lead to pages of the site and to its JSON documents. What else a link names are the sources:
 * they are no part of the site, and the text stays without the link.
 *
 * @param {readonly Token[]} tokens
 * @param {string} source the page, from the top of the repository
 * @param {string} base where the site begins
 * @returns {Token[]}
 */
function fitLinks(tokens, source, base) {
  let isInSource = false;
  return tokens.filter((token) => {
    if (token.type === 'link_close' && isInSource) {
      isInSource = false;
      return false;
    }
    const target = token.type === 'link_open' ? token.attrGet('href') : null;
    if (target === null || /^(?:[a-z]+:|#|\/)/.test(target)) return true;
    const [path = '', anchor] = target.split('#');
    const file = posix.join(posix.dirname(source), decodeURI(path));
    if (isPage(file)) {
      token.attrSet('href', `/${pageOf(file)}${anchor === undefined ? '' : `#${anchor}`}`);
      return true;
    }
    if (isDocument(file)) {
      token.attrSet('href', base + pageOf(file));
      // A link that the router of the site leaves to the browser.
      token.attrSet('target', '_self');
      return true;
    }
    isInSource = true;
    return false;
  });
}
