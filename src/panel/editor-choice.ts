/** Tells the server how the user edits texts from now on; where it is not reached, the choice holds for this page alone. */
export function keepEditorChoice(page: Document): void {
  page.addEventListener('editor-mode', (event) => {
    const csrf = page.querySelector<HTMLMetaElement>('meta[name=csrf]')?.content ?? ''
    const editor = event instanceof CustomEvent ? String(event.detail) : ''
    if (csrf === '') return
    const headers = { accept: 'application/json', 'x-csrf-token': csrf }
    fetch('/admin/account/editor', { method: 'POST', body: new URLSearchParams({ editor }), headers, keepalive: true }).catch(
      () => undefined,
    )
  })
}
