// The configuration of VitePress. `npm run site` copies it beside the pages.
import { readFileSync } from 'node:fs';
import { slugify } from './slugify.mjs';

const sidebar = JSON.parse(readFileSync(new URL('sidebar.json', import.meta.url), 'utf8'));

export default {
  title: 'Annex',
  description: 'The Kubernetes API extension plane without the cluster',
  // Works in any folder of a server that finds `x.html` for `x`.
  cleanUrls: true,
  // Without it, browsers ask for one.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // Texts such as <group> are no elements of HTML, and {{x}} is no expression of Vue.
  markdown: { html: false, linkify: false, anchor: { slugify }, config: escapeBraces },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      { text: 'Guides', link: '/guides/first-steps' },
      { text: 'Flags', link: '/reference/kube-apiserver-flags' },
      { text: 'Deviations', link: '/reference/deviations' },
    ],
  },
};

/** Escapes two opening braces in texts and in code within a line. Blocks of code are not compiled. */
function escapeBraces({ renderer: { rules } }) {
  for (const rule of ['text', 'code_inline']) {
    const render = rules[rule];
    rules[rule] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;');
  }
}
