import { nextTick, onMounted, watch } from 'vue';
import { useRoute } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { copyCommands } from '../../src/copy-commands.mjs';
import './style.css';

/** @type {import('vitepress').Theme} */
export default {
  extends: DefaultTheme,
  setup() {
    const route = useRoute();
    onMounted(() => {
      copyCommands(document);
      watch(
        () => route.path,
        () => nextTick(fitRoles),
        { immediate: true },
      );
    });
  },
};

/** Mends what the theme leaves out for people who do not see the page. */
function fitRoles() {
  // There is a landmark for what a page says on all pages but the first.
  const content = document.querySelector('#VPContent');
  if (content?.classList.contains('is-home') === true) content.setAttribute('role', 'main');
  else content?.removeAttribute('role');
  // The heading of a group is a button, with another button in it that does the same: the inner one stays.
  for (const heading of document.querySelectorAll(
    '.VPSidebarItem > .item[role="button"]:has([role="button"])',
  )) {
    heading.removeAttribute('role');
    heading.removeAttribute('tabindex');
  }
}
