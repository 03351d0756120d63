/** Milliseconds after a key until it is looked what there is. */
const PAUSE = 150

/** A thing that a reference may lead to. */
interface Offered {
  readonly value: string
  readonly label: string
}

/**
 * Offers what a reference may lead to while words of its title are typed; a select whose link made another thing in a tab of its own
 * gets that when the page is looked at again.
 */
export function serveReferences(page: Document): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const later = ({ target }: Event) => {
    if (!(target instanceof HTMLInputElement) || target.dataset.offered === undefined) return
    clearTimeout(timer)
    timer = setTimeout(() => void suggest(target), PAUSE)
  }
  page.addEventListener('input', later)
  page.addEventListener('focusin', later)
  let awaited: HTMLSelectElement | undefined
  page.addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest('a[target="_blank"]') : null
    awaited = link?.closest('.field')?.querySelector<HTMLSelectElement>('select[data-offered]') ?? awaited
  })
  page.addEventListener('visibilitychange', () => {
    if (page.visibilityState === 'visible' && awaited) void addNew(awaited)
  })
}

async function suggest(input: HTMLInputElement): Promise<void> {
  const asked = input.value
  const found = await find(input.dataset.offered ?? '', asked)
  // Somebody who types on has asked again.
  if (found && input.value === asked) input.list?.replaceChildren(...found.map(optionOf))
}

/** Adds what is there since, and takes it where it is one alone. */
async function addNew(select: HTMLSelectElement): Promise<void> {
  const found = (await find(select.dataset.offered ?? '', '')) ?? []
  const known = new Set([...select.options].map(({ value }) => value))
  const others = found.filter(({ value }) => !known.has(value))
  select.append(...others.map(optionOf))
  const [first, second] = others
  if (!first || second) return
  select.value = first.value
  for (const name of ['input', 'change']) select.dispatchEvent(new Event(name, { bubbles: true }))
}

async function find(address: string, words: string): Promise<readonly Offered[] | undefined> {
  const url = new URL(address, document.baseURI)
  url.searchParams.set('q', words)
  const answer = await fetch(url, { headers: { accept: 'application/json' } }).catch(() => undefined)
  const body: unknown = answer?.ok ? await answer.json() : undefined
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined
  return Array.isArray(data) ? data.filter(isOffered) : undefined
}

function isOffered(found: unknown): found is Offered {
  return typeof found === 'object' && found !== null && 'value' in found && 'label' in found
}

function optionOf({ value, label }: Offered): HTMLOptionElement {
  return new Option(label, value)
}
