import { normalForm } from '#lib/normal-form.ts'

/**
 * Shows the address that a new record gets from its title, until its author types one. It is sent empty: then the server makes it
 * of the title, and of one that is taken another.
 */
export function serveSlugs(page: Document): void {
  const slug = page.querySelector<HTMLInputElement>('form[data-record=""] input[data-slug]')
  const title = slug?.form?.querySelector<HTMLTextAreaElement | HTMLInputElement>('[name="title"]')
  if (!slug || !title) return
  const show = () => {
    slug.placeholder = slugOf(title.value)
  }
  title.addEventListener('input', show)
  show()
  slug.addEventListener('focus', () => {
    if (slug.value !== '') return
    slug.value = slug.placeholder
    slug.select()
  })
  slug.addEventListener('blur', () => {
    if (slug.value === slug.placeholder) slug.value = ''
  })
}

/** Returns the address of a title in Latin letters; empty for any other, which the server transliterates. */
function slugOf(title: string): string {
  const plain = normalForm(title, 'NFKD')
    .replaceAll(/[\p{M}'’]/gu, '')
    .toLowerCase()
  if (/[^\x20-\x7e]/.test(plain)) return ''
  return plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 100)
}
