import type { BrowserPage } from '#support/chromium.ts'

/** Returns whether the editor of a page is there, where it has one. */
export const EDITOR_STANDS = () =>
  !document.querySelector('[data-editor]:not([data-editor=plain])') || document.querySelector('.cm-content') !== null

/** A state of a page that no link leads to. */
export interface State {
  readonly url: string
  reach?(at: { page: BrowserPage; change(values: object): Promise<unknown> }): Promise<unknown>
}

/** Presses the last of the buttons that save. */
async function save(page: BrowserPage): Promise<void> {
  await page.evaluate(() => {
    const form = document.querySelector<HTMLFormElement>('form#record, form#form')
    form?.requestSubmit(form.querySelector<HTMLButtonElement>('button.say, .foot button.primary'))
  })
  await page.waitForSelector('main h1')
}

const POST = '/admin/content/posts/p1/edit'

/** The states that pages get into by what is done in them. */
export const STATES: Readonly<Record<string, State>> = {
  'a page that is not there': { url: '/admin/none' },
  'an unreadable record': { url: '/admin/content/posts/broken/edit' },
  'something done': { url: `${POST}?done=published` },
  'an empty list': { url: '/admin/content/posts?q=nothing+at+all' },
  'a form with errors': {
    url: '/admin/content/boats/elbe/edit',
    reach: async ({ page }) => {
      await page.fill('[name=title]', 'x'.repeat(201))
      await page.fill('[name=size]', 'many')
      await save(page)
      await page.waitForSelector('[aria-invalid]')
    },
  },
  'a term with errors': {
    url: '/admin/tags/create',
    reach: async ({ page }) => {
      await page.fill('[name=slug]', 'Not a slug!')
      await save(page)
      await page.waitForSelector('[aria-invalid]')
    },
  },
  'two edits that meet': {
    url: POST,
    reach: async ({ page, change }) => {
      await change({ title: `Theirs ${Math.random()}` })
      await page.fill('[name=title]', 'Mine')
      await save(page)
      await page.waitForSelector('[type=radio]')
    },
  },
  'the menu of the panel': {
    url: '/admin',
    reach: ({ page }) =>
      page.evaluate(
        () => document.querySelector<HTMLElement>('#nav:popover-open') ?? document.getElementById('nav')?.showPopover(),
      ),
  },
  'a list with its columns open, and one ticked': {
    url: '/admin/content/posts',
    reach: async ({ page }) => {
      await page.click('tbody tr:nth-child(2) input')
      await page.click('.tools summary')
    },
  },
  'all that is folded, unfolded': {
    url: POST,
    reach: ({ page }) =>
      page.evaluate(() => {
        for (const one of document.querySelectorAll('details')) one.open = true
      }),
  },
  'a toast': { url: `${POST}?done=saved`, reach: ({ page }) => page.waitForSelector('.toast') },
  'what can be jumped to': {
    url: '/admin/content/posts',
    reach: async ({ page }) => {
      await page.keyboard.press('Control+k')
      await page.waitForSelector('[role=option]')
      await page.keyboard.type('harbours')
      await page.waitForSelector('[role=option]:has-text("building")')
    },
  },
  'files to choose from': {
    url: '/admin/content/boats/elbe/edit',
    reach: async ({ page }) => {
      await page.click('[data-choose]')
      await page.waitForSelector('[role=option]')
    },
  },
  'nothing to be jumped to': {
    url: '/admin',
    reach: async ({ page }) => {
      await page.keyboard.press('Control+k')
      await page.keyboard.type('nothing at all')
      await page.waitForSelector('.palette :text("Nothing is found")')
    },
  },
  'all keys': {
    url: '/admin/content/posts',
    reach: async ({ page }) => {
      await page.keyboard.press('j')
      await page.keyboard.press('x')
      await page.keyboard.press('?')
      await page.waitForSelector('dialog .key-list')
    },
  },
  'a question': {
    url: POST,
    reach: async ({ page }) => {
      await page.keyboard.press('Control+Enter')
      await page.waitForSelector('dialog[open]')
    },
  },
  'several to be deleted': {
    url: '/admin/content/posts',
    reach: async ({ page }) => {
      await page.click('input[value="p1"]')
      await page.click('input[value="p2"]')
      await page.click('.selection button:has-text("Delete")')
      await page.waitForSelector('main :text("Delete 2")')
    },
  },
  'filters that are wrong': { url: '/admin/content/boats?filters=open&filter[size][gte]=many&tag=tides' },
  'the menu of commands': {
    url: POST,
    reach: async ({ page }) => {
      await page.focus('.cm-content')
      await page.keyboard.press('Control+End')
      await page.keyboard.type('\n\n/')
      await page.waitForSelector('.cm-tooltip-autocomplete [role=option]')
    },
  },
  'words that are looked for': {
    url: POST,
    reach: async ({ page }) => {
      await page.focus('.cm-content')
      await page.keyboard.press('Control+f')
      await page.waitForSelector('.cm-search')
      await page.keyboard.type('one')
    },
  },
  'a text as source': { url: POST, reach: ({ page }) => page.click('[data-toolbar] button:has-text("Source")') },
  'a text as it is': { url: POST, reach: ({ page }) => page.click('[data-toolbar] button:has-text("Plain")') },
  'a text with a way back to its looks': { url: POST, reach: ({ page }) => page.click('[data-toolbar] button:has-text("Rich")') },
  'the page beside its form': {
    url: POST,
    reach: async ({ page }) => {
      await page.click('[data-preview]')
      await page.waitForSelector('[data-pane] iframe:not(.coming)')
    },
  },
  'words that were kept': {
    url: '/admin/content/posts/p3/edit',
    reach: async ({ page }) => {
      await page.fill('[name=title]', `Typed ${Math.random()}`)
      await page.waitForSelector('[data-keeping]:has-text("Kept")')
      await page.reload()
      await page.waitForSelector('.cm-content')
    },
  },
  'files that were refused': {
    url: '/admin/media',
    reach: async ({ page }) => {
      await page.evaluate(() => {
        const input = document.querySelector<HTMLInputElement>('[data-upload] input[type=file]')
        const chosen = new DataTransfer()
        chosen.items.add(new File(['MZ\0\0\0'], 'bad.bin'))
        if (input) input.files = chosen.files
        input?.form?.requestSubmit()
      })
      await page.waitForSelector('#uploads .notice.bad')
    },
  },
}
