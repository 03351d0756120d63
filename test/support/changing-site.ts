/** The posts of a site that tests change, `p0` and on. */
export const POSTS = 14

/** The file of a post, with more lines of front matter. */
export function post(n: number, { title = `Post ${n}`, body = 'A text.', more = '' } = {}): string {
  return `---\ntitle: ${title}\ndate: 2026-01-${10 + n}\n${more.includes('author:') ? '' : 'author: ada\n'}${more.includes('tags:') ? '' : 'tags: [a]\n'}${more}---\n${body} [Next](p${n + 1}.md) [About](/about/) "said"\n`
}

/** The files of a site with one of each thing that pages are made of, and templates that show them. */
export const CHANGING: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Array.from({ length: POSTS }, (_none, n) => [`content/posts/p${n}.md`, post(n)])),
  'content/index.md': '---\ntitle: Welcome\n---\nSee [one](posts/p0.md).\n',
  'content/about.md': '---\ntitle: About\naliases: [/us]\n---\n{{< note text="x" >}}\n\n[Old](/old) [file](/x.txt)\n',
  'content/wide.md': '---\ntitle: Wide\ntemplate: wide\n---\n',
  'content/docs.md': '---\ntitle: Docs\n---\n',
  'content/docs/deeper.md': '---\ntitle: Deeper\n---\n',
  'content/far.md': '---\ntitle: Far\n---\n[cat](trips/one/cat.jpg) [deeper](docs/deeper.md) [wide](/wide/)\n',
  'content/tagged.md': '---\ntitle: Tagged\ntemplate: tagged\n---\n',
  'content/docs/deep.md': '---\ntitle: Deep\n---\nUp: [docs](/docs). [map](../trips/one/map.txt)\n',
  'content/trips/one/index.md':
    '---\ntitle: Trip\ncover: p.png\n---\n![](cat.jpg) ![](/media/p.png) ![](/media/q.png) [map](map.txt)\n',
  'content/trips/one/cat.jpg': 'cat',
  'content/media/p.png': 'picture',
  'content/media/q.png': 'another',
  'content/notes/taking.md': '---\ntitle: Taking\n---\n![[taken]]\n\n![[p3]]\n',
  'content/notes/taken.md': '---\ntitle: Taken\n---\n![[inner]]\n',
  'content/notes/inner.md': '---\ntitle: Inner\n---\n[Up](../about.md)\n',
  'content/authors/ada.yaml': 'title: Ada\n',
  'content/taxonomy/tags/a.yaml': 'name: The first\n',
  'content/menus/main.yaml': 'items: [{ label: Us, record: { type: pages, id: about } }]\n',
  'content/menus/foot.yaml': 'items: [{ record: { type: posts, id: p2 } }]\n',
  'content/settings/site.yaml': 'tagline: Words\n',
  'static/x.txt': 'X',
  'data/x.yaml': 'y: 1\n',
  'templates/shortcodes/note.liquid': '<p>{{ args.text }}</p>',
  'templates/site/words/en.yaml': 'mine: Mine\n',
  'templates/site/partials/latest.liquid':
    '{% for post in site.records.posts limit: 3 %}{{ post.title }} {{ post.url }} {{ post.fields.excerpt }} {{ post.reading_time }}{% endfor %}{{ "mine" | t }}',
  'templates/site/page.liquid':
    "{{ page.title }} {{ page.canonical }} {{ record.html | raw }}{% render 'partials/latest', site: site %}{{ site.data.x.y }}{{ settings.site.tagline }}{{ '/old' | url }}",
  'templates/site/wide.liquid':
    '{{ site.records.posts.size }}{{ site.records.posts[2].title }}{{ site.records.posts.last.id }}{% for x in site.taxonomies.tags.terms %}{{ x.name }}{{ x.count }}{% endfor %}{% assign some = site.records.posts | where: "fields.slug", "other" %}{{ some | map: "title" | join: "," }}',
  'templates/site/tagged.liquid':
    '{% for one in record.backlinks %}{{ one.title }}{{ one.url }}{% endfor %}{% for x in site.taxonomies.tags.terms %}{{ x.name }}{% endfor %}',
  'templates/site/trip.liquid': '{{ record.html | raw }}<img src="{{ record.fields.cover }}">',
  'templates/site/record.liquid':
    '{{ page.title }}{{ record.html | raw }}{{ record.next.title }}{{ record.previous.excerpt }}{% for one in record.related %}{{ one.title }}{{ one.authors[0].name }}{% endfor %}{% for b in page.breadcrumbs %}{{ b.title }}{{ b.url }}{% endfor %}{% for item in menus.foot %}{{ item.url }}{% endfor %}{% for term in record.terms %}{{ term.name }}{% endfor %}',
}
