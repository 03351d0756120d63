import { servePageParts } from './page-parts.ts'
import { mountTextFields } from './text-fields.ts'

servePageParts(document)
mountTextFields(document)
