// The search page: shows its form, and what is found while a person types.
const form = document.querySelector('form.search')
const input = form.elements.namedItem('q')
const list = document.querySelector('#results')
const status = document.querySelector('.found')
const browse = document.querySelector('.browse')
const more = document.querySelector('.more')
/** Pages that are shown at once, and milliseconds without a letter after which they are looked for. */
const AT_ONCE = 10
const PAUSE = 250

let opened
let turn = 0
let waiting
let found

form.hidden = false
input.value = new URLSearchParams(location.search).get('q') ?? ''
input.focus()
input.addEventListener('input', () => {
  clearTimeout(waiting)
  waiting = setTimeout(show, PAUSE)
})
form.addEventListener('submit', (event) => {
  event.preventDefault()
  show()
})
more?.addEventListener('click', () => continued(found.next))
document.addEventListener('keydown', step)
// Without a word the index is fetched while the first one is typed.
if (input.value === '') input.addEventListener('input', () => begin().catch(() => undefined), { once: true })
else show()

async function show() {
  clearTimeout(waiting)
  const mine = ++turn
  const text = input.value.trim()
  remember(text)
  if (text === '') return print(undefined)
  await shown(mine, async () => {
    const { index, pieces } = await begin()
    const { total, stems, pages } = await index.find(input.value)
    const first = await index.show(pages.slice(0, AT_ONCE), stems)
    return () => {
      found = { pages, stems, index, pieces, next: AT_ONCE }
      print(total, first)
    }
  })
}

/** Shows the pages after those that are shown, and goes to the first of them. */
async function continued(from) {
  const { pages, stems, index } = found
  await shown(turn, async () => {
    const next = await index.show(pages.slice(from, from + AT_ONCE), stems)
    return () => {
      const added = next.map(entry)
      list.append(...added)
      found.next = from + AT_ONCE
      more.hidden = found.next >= pages.length
      status.textContent = counted(pages.length, list.children.length)
      added[0]?.querySelector('a').focus()
    }
  })
}

/** Shows what was made, unless something else was asked for meanwhile; a site may have changed since its index was fetched. */
async function shown(mine, make) {
  for (const isLast of [false, true]) {
    try {
      const put = await make()
      return mine === turn ? put() : undefined
    } catch {
      // What could not be fetched is fetched again when the next letter is typed.
      opened = undefined
      if (mine !== turn) return
      if (isLast) return print(undefined, [], form.dataset.failed)
    }
  }
}

function begin() {
  opened ??= start()
  return opened
}

async function start() {
  const { openSearch, pieces } = await import(form.dataset.module)
  return { index: await openSearch(), pieces }
}

/** The address says what was searched for, so that it can be kept and sent. */
function remember(text) {
  const url = new URL(location.href)
  if (text === '') url.searchParams.delete('q')
  else url.searchParams.set('q', text)
  if (url.href !== location.href) history.replaceState(null, '', url)
}

function print(total, pages = [], says = '') {
  browse.hidden = total > 0
  list.hidden = !browse.hidden
  list.replaceChildren(...pages.map(entry))
  if (more) more.hidden = !(total > pages.length)
  status.textContent = total === undefined ? says : counted(total, pages.length)
}

function counted(total, count) {
  if (total === 0) return form.dataset.none
  const pages = counting(form.dataset.found, total)
  return total > count ? `${pages}; ${counting(form.dataset.first, count)}.` : pages
}

/** The words for a number, in the language of the page. */
function counting(forms, count) {
  const { lang } = document.documentElement
  const known = JSON.parse(forms)
  const words = known[new Intl.PluralRules(lang).select(count)] ?? known.other
  return words.replace('{count}', new Intl.NumberFormat(lang).format(count))
}

/** Arrows go from the field to the pages, and from one to the next. */
function step(event) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const places = [input, ...list.querySelectorAll('a')]
  const at = places.indexOf(document.activeElement)
  const next = by && at >= 0 && places[at + by]
  if (!next || list.hidden) return
  event.preventDefault()
  next.focus()
}

function entry({ title, url, excerpt }) {
  const { pieces, stems } = found
  const link = element('a', pieces(title, stems))
  link.href = url
  const heading = document.createElement('h2')
  heading.append(link)
  const article = document.createElement('article')
  article.className = 'entry'
  article.append(heading)
  if (excerpt !== '') article.append(element('p', pieces(excerpt, stems)))
  const item = document.createElement('li')
  item.append(article)
  return item
}

function element(name, parts) {
  const made = document.createElement(name)
  for (const { text, marked } of parts) {
    const part = marked ? document.createElement('mark') : undefined
    if (part) part.textContent = text
    made.append(part ?? text)
  }
  return made
}
