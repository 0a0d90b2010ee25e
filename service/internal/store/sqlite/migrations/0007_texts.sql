-- The texts stand in document_texts.
ALTER TABLE documents DROP COLUMN text;
