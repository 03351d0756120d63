import { servePageParts } from './page-parts.ts'
import { servePreview } from './preview-pane.ts'
import { mountTextFields } from './text-fields.ts'

servePageParts(document)
mountTextFields(document)
servePreview(document)
