-- In which the bytes of a document were read, for example Shift_JIS.
ALTER TABLE documents ADD COLUMN encoding TEXT;  -- NULL: its kind says how they are read, or nobody noted it
