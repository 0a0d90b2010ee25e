-- The details of a memory have its edits. A replica of the version before doesn't know them, and
-- writes the details without them: then they stay as they were.

CREATE FUNCTION keep_edits() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    edits text;
BEGIN
    edits := OLD.details::json -> 'edits';
    IF edits IS NOT NULL AND coalesce(NEW.details::json -> 'edits', 'null'::json)::text = 'null' THEN
        NEW.details := '{"edits":' || edits || CASE WHEN coalesce(NEW.details, '{}') = '{}' THEN '}' ELSE ',' || substr(NEW.details, 2) END;
    END IF;
    RETURN NEW;
EXCEPTION WHEN untranslatable_character THEN -- json refuses \u0000
    RETURN NEW;
END $$;
CREATE TRIGGER memories_keep_edits BEFORE UPDATE OF details ON memories FOR EACH ROW
    WHEN (OLD.details LIKE '%"edits":%') EXECUTE FUNCTION keep_edits();
