import type { Keys } from './keys.ts'

/** Serves the keys that lead to a place of the page: its search, and its button for a new thing. */
export function servePlaces(page: Document, keys: Keys): void {
  const search = page.querySelector<HTMLInputElement>('[data-search], main input[type="search"]')
  const jump = page.querySelector<HTMLElement>('a[data-jump]')
  if (search || jump) {
    keys.add({
      name: '/',
      words: 'Search',
      run: () => {
        if (!search) return jump?.click()
        search.focus()
        search.select()
      },
    })
  }
  const add = page.querySelector<HTMLElement>('[data-key="c"]')
  if (add) keys.add({ name: 'c', words: 'New', run: () => add.click() })
}
